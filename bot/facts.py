"""What a platform's own pages show: packs, health, a person's data, first questions."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from adapters import strict_yaml
from adapters.ledger.mail_records import EVERYWHERE
from adapters.ledger.mailbox import Mailbox
from adapters.mail import Place, Platform
from adapters.reply import many
from adapters.slack.views import Home, PackHere
from bot import wording
from bot.pseudonym import Pseudonyms
from bot.steps import Library, Rules
from engine.errors import LedgerFailed, PolicyError, UsageError

MUST_ANSWER = Path("fixtures") / "must_answer.yaml"
PROMPTS = 4
ELSEWHERE = "everywhere else"


class _Case(BaseModel):
    """A question that the pack must answer (R-E1); the rest is for evals."""

    model_config = ConfigDict(extra="ignore")
    question: Annotated[str, Field(min_length=1)]


class _Cases(BaseModel):
    model_config = ConfigDict(extra="ignore")
    cases: list[_Case]


class SlackFacts:
    """The facts behind Slack's App Home and its assistant pane.

    Args:
        mailbox: knows bindings, and what is stored of a person.
        library: the packs.
        rules: the packs of channels that are bound to none.
        pseudonyms: find a person's data.
        packs: the folder of the packs, for their questions.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        library: Library,
        rules: Rules,
        pseudonyms: Pseudonyms,
        packs: Path,
    ) -> None:
        self._mailbox = mailbox
        self._library = library
        self._rules = rules
        self._pseudonyms = pseudonyms
        self._packs = packs

    async def home(self, tenant: str, person: str) -> Home:
        """What a person's App Home says."""
        asker = self._pseudonyms.of_person(Platform.SLACK, tenant, person)
        try:
            waiting = await self._mailbox.waiting()
            packs = await self._packs_here(tenant)
            data = wording.my_data(await self._mailbox.data_of(asker))
        except LedgerFailed:
            return Home(packs=(), health=wording.UNWELL, data=wording.UNWELL)
        health = wording.WELL
        if waiting:
            health = f"{health} {many(waiting, 'question')} waiting."
        return Home(packs=packs, health=health, data=data)

    async def questions(self, tenant: str, channel: str | None) -> Sequence[str]:
        """Questions to begin with: those that the channel's pack must answer."""
        place = Place(
            platform=Platform.SLACK, tenant=tenant, channel=channel or EVERYWHERE
        )
        try:
            binding = await self._mailbox.binding(place)
        except LedgerFailed:
            return ()
        name = (binding and binding.pack) or self._rules.packs.get(Platform.SLACK)
        return () if name is None else _first_questions(self._packs / name)

    async def _packs_here(self, tenant: str) -> tuple[PackHere, ...]:
        bindings = await self._mailbox.bindings(Platform.SLACK)
        bound = [b for b in bindings if b.tenant == tenant and b.pack is not None]
        found = [
            await self._here(b.channel, b.pack, paused=b.paused)
            for b in bound
            if b.pack
        ]
        default = self._rules.packs.get(Platform.SLACK)
        if default is not None and all(b.channel != EVERYWHERE for b in bound):
            found.append(await self._here(EVERYWHERE, default, paused=False))
        return tuple(here for here in found if here is not None)

    async def _here(self, channel: str, name: str, *, paused: bool) -> PackHere | None:
        try:
            pack = self._library.pack(name)
        except UsageError:
            return None
        return PackHere(
            channel=ELSEWHERE if channel == EVERYWHERE else channel,
            title=pack.title,
            version=pack.version,
            paused=paused or await self._mailbox.paused(name),
        )


def _first_questions(pack: Path) -> tuple[str, ...]:
    try:
        read = _Cases.model_validate(strict_yaml.read(pack / MUST_ANSWER).data)
    except (PolicyError, ValidationError):
        return ()
    return tuple(case.question for case in read.cases[:PROMPTS])
