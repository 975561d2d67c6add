"""What `ingest` prints of what went wrong."""

from bot.commands.ingest import group_messages


def test_a_reason_that_fits_many_is_told_once_R_R8() -> None:
    """With the first place and a count; few are named one by one."""
    reason = "belongs to no registered source; use --source ID (sources: a, b)"
    failed = [f"trials/NCT{n}.json: {reason}" for n in range(1288)]
    assert list(group_messages(failed)) == [f"trials/NCT0.json and 1287 more: {reason}"]
    assert list(group_messages(failed[:3])) == failed[:3]


def test_reasons_are_kept_apart() -> None:
    """What was left out is told apart from what was skipped; nothing is lost."""
    skipped = [f"skipped: a/{n}.docx: .docx is not read; save it" for n in range(5)]
    left = [f"left out: b/{n}: id-{n} was withdrawn" for n in range(5)]
    told = list(
        group_messages((*skipped, *left, "the same text: a, b", "no reason", ""))
    )
    assert told == [
        "skipped: a/0.docx and 4 more: .docx is not read; save it",
        *left,
        "the same text: a, b",
        "no reason",
        "",
    ]
