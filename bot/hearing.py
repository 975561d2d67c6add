"""What hears emergencies over the vectors of an embedder (R-M6)."""

from pydantic import ValidationError

from config.settings import CALIBRATIONS
from engine import Urgency
from engine.errors import EmbedderFailed
from engine.ports import Embedder


def urgency(embedder: Embedder) -> Urgency | None:
    """What hears emergencies over an embedder's vectors (R-M6).

    None where nothing was fitted for it: the packs' patterns alone hear them, and
    `doctor` says so.

    Raises:
        EmbedderFailed: the file is damaged.
    """
    for path in sorted(CALIBRATIONS.glob("*-urgency.json")):
        try:
            found = Urgency.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise EmbedderFailed(f"{path} is damaged: restore it") from error
        if found.embedder == embedder.name:
            return found
    return None
