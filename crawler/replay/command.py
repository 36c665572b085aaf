"""``cutweb replay``: as ranks of an MPI run, or as an estimate or a comparison of sessions in one process."""

import click

_ONE_PROCESS = {"--estimate", "--from"}
"""Words without which nothing is asked for that is done in one process; what they mean, the options say."""


def replay_command() -> click.Command:
    """``cutweb replay`` as click knows it."""
    from crawler.replay.command_line import replay_command as command

    return command()


def replay(arguments: list[str]) -> int:
    """Run ``cutweb replay`` with these arguments; its exit code."""
    if any(argument.partition("=")[0] in _ONE_PROCESS for argument in arguments):
        from crawler.process.exit_on_signal import leaving_on_signals

        with leaving_on_signals():  # before libraries with threads of their own are loaded
            from crawler.replay.single_process import replay_in_one_process

            code = replay_in_one_process(arguments)
        if code is not None:
            return code
    from crawler.replay.plan import replay_as_ranks

    return replay_as_ranks(arguments)
