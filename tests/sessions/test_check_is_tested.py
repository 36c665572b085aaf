"""No invariant without a session that breaks it."""

from sessions.checking import across, bodies, counters, files, rows, shape, succession
from tests.sessions import (
    test_check_revisits,
    test_check_runs,
    test_check_shape,
    test_check_tables,
    test_check_warc,
)

IN_RECORDS = {
    "warc_is_as_committed",
    "records_are_readable",
    "record_has_its_own_member",
    "block_digest_is_valid",
    "payload_digest_is_valid",
}


def test_every_invariant_is_broken_somewhere() -> None:
    broken = {
        kind
        for module in (test_check_revisits, test_check_runs, test_check_shape, test_check_tables, test_check_warc)
        for kind, _ in module.BREAKAGES.values()
    }
    functions = [
        shape.header_shape,
        shape.read_epochs,
        succession.runs_are_told,
        succession.header_is_of_records,
        succession.epochs_agree,
        succession.names_are_right,
        succession.reports_grow,
        succession.nothing_is_withdrawn,
        succession.warcs_grow,
        files.table_file,
        counters.books_balance,
        counters.exchange_is_plausible,
        counters.reports_equal_tables,
        counters.reports_equal_exchanges,
        counters.exchanges_are_of_supersteps,
        *across.ACROSS,
        *bodies.BODY_CHECKS,
        bodies.revisits_repeat_responses,
        *rows.SOUND,
        *(check for checks in rows.ROW_CHECKS.values() for check in checks),
    ]
    assert {function.__name__ for function in functions} | IN_RECORDS == broken
