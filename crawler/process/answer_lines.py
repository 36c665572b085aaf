"""How commands print an answer: the sentence, its bars as text, and what to type next."""

from typing import TYPE_CHECKING

from crawler.process.printing import printer

if TYPE_CHECKING:
    from rich.console import Console

    from partition.report.answer import Answer

_LONGEST = 30


def print_answer(answer: "Answer", console: "Console | None" = None) -> None:
    """Print what a report answers, before its tables."""
    console = console or printer()
    console.print(answer.sentence)
    if answer.bars:
        console.print(f"\n{answer.title}")
        for line in bars_as_text(answer, console):
            console.print(line, soft_wrap=True)
    if answer.next:
        purpose = f", to {answer.purpose}" if answer.purpose else ""
        console.print("\n  ".join([f"\nnext{purpose}:", *answer.next]), soft_wrap=True)
    console.print()


def bars_as_text(answer: "Answer", console: "Console") -> list[str]:
    """A line for each bar: its name, its value, the bar, and what has to be known of it."""
    mark = "█" if console.is_terminal and console.encoding.startswith("utf") else "#"
    names, texts = (
        max(map(len, column)) for column in zip(*((bar.name, bar.text) for bar in answer.bars), strict=True)
    )
    return [
        f"  {bar.name:<{names}}  {bar.text:>{texts}}  {_drawn(answer, number, mark):<{_LONGEST}}  {bar.note}".rstrip()
        for number, bar in enumerate(answer.bars)
    ]


def _drawn(answer: "Answer", number: int, mark: str) -> str:
    marks = mark * round(_LONGEST * answer.lengths[number])
    return f"{marks[:-2]}//" if answer.is_cut(answer.bars[number]) else marks
