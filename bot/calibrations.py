"""The calibration of an embedder, as it stands in config/calibration/ (R-G6)."""

from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine import Calibration
from engine.errors import EmbedderFailed
from engine.ports import Embedder


def calibration(embedder: Embedder) -> Calibration:
    """What config/calibration/ holds for an embedder (R-G6).

    Raises:
        EmbedderFailed: nothing was fitted for it, or the file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-relevance.json")):
        try:
            found = Calibration.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
        if found.embedder == embedder.name:
            return found
    raise EmbedderFailed(
        f"no calibration was fitted for the embedder {embedder.name}: fit one on "
        "labelled questions with `python -m evals calibrate`"
    )


def fitted_for(embedder: Embedder) -> Calibration | None:
    """The same; None where nothing was fitted, as for a corpus to be fitted on."""
    try:
        return calibration(embedder)
    except EmbedderFailed:
        return None
