"""The reports of a run, written beside its artefacts."""

from bot.inspection.page import page
from bot.inspection.results import junit, sarif
from bot.inspection.run_folder import SUMMARY, RunFolder
from bot.inspection.summary import Run, as_data, markdown

REPORT = "report.html"


def write(folder: RunFolder, run: Run) -> None:
    """Every report; `summary.json` last, because it says that a run has ended.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    folder.write("summary.md", markdown(run))
    folder.write(REPORT, page(run))
    folder.write("results.sarif", sarif(run))
    folder.write("junit.xml", junit(run))
    folder.write(SUMMARY, as_data(run))
