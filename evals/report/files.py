"""The reports of a run, written beside it: a page, a summary, test results, a trend."""

from pathlib import Path

from engine.model.errors import EnvironmentFailed
from evals.advice import ragas_run
from evals.broken import JUNIT, PAGE, SUMMARY
from evals.deciding.baseline import BASELINES, moved
from evals.deciding.finished import Finished
from evals.deciding.settle import Settled, pack_of
from evals.deciding.verdict import Whole
from evals.report import ragas_view, trend
from evals.report.case_view import Sides
from evals.report.html import page
from evals.report.junit import junit
from evals.report.markdown import summary


def write(
    folder: Path,
    made: Settled,
    whole: Whole,
    beside: Finished | None = None,
    committed: Path = BASELINES,
) -> Path:
    """Write every report of a run; the page's path.

    The trend grows by this run; before it stand those of the committed baselines.

    Args:
        folder: of the run.
        made: the run, decided.
        whole: the verdict on all that was released together.
        beside: another run, to show its texts beside those of this one.
        committed: the folder of all packs' baselines.

    Raises:
        EnvironmentFailed: a file cannot be written.
    """
    own = folder / trend.TREND
    trend.append(own, trend.point(made.run, made.verdict))
    earlier = trend.read(committed / pack_of(made.run) / trend.TREND)
    points = trend.joined(earlier, trend.read(own))
    found = moved(made.run, made.baseline) if made.baseline else {}
    sides = Sides(made.run, beside, found)
    held = ragas_run.told(folder)
    texts = {
        PAGE: page(whole, made.verdict, sides, points, held),
        SUMMARY: summary(whole, made.verdict, made.run, made.baseline)
        + ragas_view.markdown(held),
        JUNIT: junit(whole, made.verdict, made.run),
    }
    for name, text in texts.items():
        try:
            (folder / name).write_text(text, encoding="utf-8")
        except OSError as error:
            why = f"{folder / name}: cannot be written ({error.strerror})"
            raise EnvironmentFailed(why) from error
    return folder / PAGE
