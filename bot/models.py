"""The language models of a process, opened when the first pack needs one.

Nothing of DSPy is imported before that: who configures no model neither needs it nor
waits for it.
"""

from collections.abc import Iterator
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from pydantic import SecretStr

from config.settings import Settings, reveal
from engine.model.errors import EnvironmentFailed, UsageError
from engine.pipeline.drafting import Models
from engine.policy.pack import Pack

if TYPE_CHECKING:
    from adapters.language_model import LanguageModel
    from engine.prompting.inspecting import ModelInspector
    from engine.prompting.questioning import ModelQuestioner

SAME = "same"  # GROUNDRULE_JUDGE: the model that drafts


class LanguageModels:
    """The models that the settings name, for any pack.

    Args:
        settings: name the models, where they are and what they cost.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: list[LanguageModel] = []

    @property
    def configured(self) -> bool:
        """Whether there is a model that may draft."""
        return self._settings.model is not None

    def of(self, pack: Pack) -> Models:
        """Return the models that an engine of this pack may ask; none if forbidden.

        Raises:
            UsageError: a provider is not known, or the pack names a signature that
                does not exist.
            EnvironmentFailed: the packages of the model path are not installed.
        """
        if not self.configured or pack.answer.mode != "llm":
            return Models()
        writer, judge = self.writer, self.judge
        modules = _import_module("engine.prompting.modules")
        wanted = {rule.signature for rule in pack.intents}
        return Models(
            writer=modules.ModelWriter(writer, wanted),
            judge=modules.ModelJudge(judge) if judge else None,
        )

    def questioner(self, most: int) -> "ModelQuestioner":
        """Make the writer of questions; see `of` for what is raised."""
        made: ModelQuestioner = _import_module(
            "engine.prompting.questioning"
        ).ModelQuestioner(self.writer, most)
        return made

    def inspector(self) -> "ModelInspector":
        """Make the model that picks lines of a repository; raises as `of`."""
        made: ModelInspector = _import_module(
            "engine.prompting.inspecting"
        ).ModelInspector(self.writer)
        return made

    @cached_property
    def writer(self) -> "LanguageModel":
        """The model that drafts; see `of` for what is raised."""
        if self._settings.model is None:
            raise UsageError("no model is configured: set GROUNDRULE_MODEL")
        return self._open(self._settings.model)

    @cached_property
    def judge(self) -> "LanguageModel | None":
        """The model that may object, None where none is configured."""
        named = self._settings.judge
        if named is None or named in (SAME, self._settings.model):
            return self.writer if named else None
        return self._open(named)

    async def close(self) -> None:
        """Close the connections of what was opened."""
        for model in self._opened:
            await model.close()

    def _open(self, name: str) -> "LanguageModel":
        """Open a model; a judge of another provider has that one's address and key."""
        settings, adapter = self._settings, _import_module("adapters.language_model")
        drafts = name == settings.model
        near = drafts or _find_provider(name) == _find_provider(settings.model or "")
        choice = adapter.Choice(
            model=name,
            url=settings.model_url if near else None,
            key=reveal(settings.model_key) if near else None,
            at_once=settings.model_at_once,
            prices=settings.model_prices if drafts else None,
            secrets=tuple(_list_secrets(settings)),
        )
        try:
            model: LanguageModel = adapter.LanguageModel(choice)
        except UsageError as error:
            variable = "GROUNDRULE_MODEL" if drafts else "GROUNDRULE_JUDGE"
            raise UsageError(f"{variable}={error}") from error
        self._opened.append(model)
        return model


def _list_secrets(settings: Settings) -> Iterator[str]:
    for _, value in settings:
        if isinstance(value, SecretStr):
            yield value.get_secret_value()


def _find_provider(model: str) -> str:
    return model.partition("/")[0]


def _import_module(name: str) -> ModuleType:
    """Import one of our modules that import DSPy.

    Raises:
        EnvironmentFailed: it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise EnvironmentFailed(
            f"GROUNDRULE_MODEL is set, and the package {error.name} is not installed: "
            "run `make model`, or unset it"
        ) from error
