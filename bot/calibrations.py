"""What was fitted for an embedder and a reader, from config/calibration/."""

from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine import Calibration
from engine.model.errors import EmbedderFailed
from engine.model.ports import Embedder, Reader


def calibration(embedder: Embedder, reader: Reader) -> Calibration:
    """What config/calibration/ holds for a pair of embedder and reader.

    Raises:
        EmbedderFailed: nothing was fitted for the two, or a file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-relevance.json")):
        try:
            found = Calibration.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
        if (found.embedder, found.reader) == (embedder.name, reader.name):
            return found
    raise EmbedderFailed(
        f"no calibration was fitted for the embedder {embedder.name} and the reader "
        f"{reader.name}: fit one on labelled questions with `python -m evals calibrate`"
    )
