"""Whether models are asked, taped, or played from a cassette (R-E5)."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from config.settings import Settings
from engine.model.errors import UsageError
from evals.recording.cassettes import Cassette, Mode
from evals.recording.models import SharedModels


@dataclass(frozen=True, slots=True)
class Tape:
    """The cassette of a run; None: models are asked, where some are configured."""

    file: Path | None
    mode: Mode

    @classmethod
    def of(cls, play: Path | None, tape: Path | None) -> "Tape":
        """The cassette that was asked for.

        Raises:
            UsageError: both were.
        """
        if play is not None and tape is not None:
            raise UsageError("--play and --tape: give one of them")
        return cls(play, "play") if play else cls(tape, "tape")

    def models(self, settings: Settings) -> SharedModels | None:
        """The models behind it.

        Raises:
            UsageError: there is no cassette to be played, or it is damaged.
            EnvironmentFailed: the packages of the model path are not installed.
        """
        if self.file is None:
            return None
        if self.mode == "play" and not self.file.is_file():
            raise UsageError(f"--play {self.file}: there is no such cassette")
        secrets = [s.get_secret_value() for s in (settings.model_key,) if s]
        cassette = Cassette(self.file, secrets)
        # DSPy takes seconds to import; only who plays or tapes waits for it.
        taped = import_module("evals.recording.taped")
        made: SharedModels = taped.TapedModels(settings, cassette, self.mode)
        return made
