"""A run of a question pack as one page, in the style of all reports."""

from bot.inspection.summary import Run, deterministic_hash, explain_unjudged, summarize
from bot.pages.templates import render
from engine.inspection.records import Status

# A status as the style knows it.
_KIND = {
    Status.MET: "pass",
    Status.UNJUDGED: "not_applicable",
    Status.FAILED: "fail",
    Status.ERROR: "fail",
    Status.INCONCLUSIVE: "inconclusive",
}
_VERDICT = {0: "release", 1: "regression", 3: "inconclusive", 4: "regression"}
_LISTED = 50  # places that a preflight found


def render_page(run: Run) -> str:
    """Render the report as HTML; what changes the exit code comes first."""
    nothing = explain_unjudged(run)
    return render(
        "bot/inspection/page.html",
        {
            "run": run,
            "summary": summarize(run),
            "unjudged": nothing,
            "kind": "" if nothing else _VERDICT[run.exit_code],
            "hash": deterministic_hash(run.loaded, run.ran.results)[:12],
            "results": sorted(run.ran.results, key=lambda each: each.status.harmless),
            "kinds": _KIND,
            "listed": _LISTED,
        },
    )
