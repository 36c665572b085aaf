"""No invariant without a session that breaks it."""

from sessions.checking import (
    body_invariants,
    commit_records,
    report_invariants,
    row_invariants,
    run_invariants,
    table_files,
    table_invariants,
)
from tests.sessions.checking import (
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
        commit_records.header_shape,
        commit_records.read_epochs,
        run_invariants.runs_are_told,
        run_invariants.header_is_of_records,
        run_invariants.epochs_agree,
        run_invariants.names_are_right,
        run_invariants.reports_grow,
        run_invariants.nothing_is_withdrawn,
        run_invariants.warcs_grow,
        table_files.table_file,
        report_invariants.books_balance,
        report_invariants.exchange_is_plausible,
        report_invariants.reports_equal_tables,
        report_invariants.reports_equal_exchanges,
        report_invariants.nobody_is_sent_more_than_there_is,
        report_invariants.exchanges_are_of_supersteps,
        report_invariants.external_links_are_counted,
        report_invariants.verified_links_are_counted,
        *table_invariants.ACROSS,
        *body_invariants.BODY_CHECKS,
        body_invariants.revisits_repeat_responses,
        *row_invariants.SOUND,
        *(check for checks in row_invariants.ROW_CHECKS.values() for check in checks),
    ]
    assert {function.__name__ for function in functions} | IN_RECORDS == broken
