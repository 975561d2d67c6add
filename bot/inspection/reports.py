"""The reports of a run, written beside its artefacts."""

from bot.inspection.page import render_page
from bot.inspection.results import make_junit, make_sarif
from bot.inspection.run_folder import SUMMARY, RunFolder
from bot.inspection.summary import Run, as_data, render_markdown

REPORT = "report.html"


def write(folder: RunFolder, run: Run) -> None:
    """Write every report; `summary.json` last, because it says that a run has ended.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    folder.write("summary.md", render_markdown(run))
    folder.write(REPORT, render_page(run))
    folder.write("results.sarif", make_sarif(run))
    folder.write("junit.xml", make_junit(run))
    folder.write(SUMMARY, as_data(run))
