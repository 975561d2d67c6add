"""Slack's own pages name what answers the person who looks, and nothing else."""

from pathlib import Path

import pytest

from adapters.ledger.mail_records import EVERYWHERE, Binding
from adapters.mail import Action, Platform
from bot.first_questions import read_first_questions
from bot.messages import wording
from bot.messages.facts import HERE, SlackFacts
from config.settings import PACKS
from engine.model.errors import LedgerFailed
from tests.bot.chat import ANNA, BEN, DIRECT, Chat
from tests.fakes import Breaking

PANE = "D1"


@pytest.fixture
def facts(chat: Chat) -> SlackFacts:
    """The pages of the application that people chat with."""
    made = chat.application
    door = made.inbox(lambda: None)
    return SlackFacts(made.mailbox, made, made.router, made.pseudonyms, door)


async def test_the_home_says_that_nobody_answers_R_I10(chat: Chat) -> None:
    """While every worker is dead, what is asked is kept all the same."""
    made = chat.application
    door = made.inbox(lambda: None, lambda: False)
    facts = SlackFacts(made.mailbox, made, made.router, made.pseudonyms, door)
    assert (await facts.home("T1", ANNA)).health == wording.ABSENT


async def test_the_home_names_no_other_channel_R_C5(
    chat: Chat, facts: SlackFacts
) -> None:
    """Neither its pack nor its id, and nothing of other people."""
    await chat.bind("closed")
    await chat.rings(person=BEN)
    home = await facts.home("T1", ANNA)
    [pack] = home.packs
    assert (pack.channel, pack.title) == (HERE, "Small")
    assert home.health == wording.WELL
    assert home.data == "Nothing of yours is stored."
    assert "C1" not in home.model_dump_json()


async def test_the_home_says_what_answers_the_whole_workspace_R_C1(
    chat: Chat, facts: SlackFacts
) -> None:
    """Before the default; paused where it is, and not that of other workspaces."""
    whole = Binding(
        platform=Platform.SLACK,
        tenant="T1",
        channel=EVERYWHERE,
        pack="other",
        paused=True,
    )
    await chat.mailbox.bind(whole)
    [here] = (await facts.home("T1", ANNA)).packs
    [there] = (await facts.home("T2", ANNA)).packs
    assert (here.title, here.paused) == ("Other", True)
    assert (there.title, there.paused) == ("Small", False)
    await chat.bind("closed", channel="D7")
    [own] = (await facts.home("T1", ANNA, "D7")).packs
    assert own.title == "Closed"
    limit = {"small": frozenset({"slack:T1"})}
    chat.application.rules.tenants.update(limit)  # type: ignore[attr-defined]
    assert (await facts.home("T2", ANNA)).packs == ()


async def test_the_pane_offers_questions_of_what_answers_there_R_C1(
    chat: Chat, facts: SlackFacts
) -> None:
    """Those of direct messages, or says that they have no pack."""
    assert await facts.questions("T1", PANE) == ("What is small?",)
    assert await facts.notice("T1", PANE) is None
    chat.application.rules.packs[Platform.SLACK] = None  # type: ignore[index]
    assert await facts.questions("T1", PANE) == ()
    assert await facts.notice("T1", PANE) == await chat.hears(place=DIRECT)


async def test_a_database_that_fails_is_said(chat: Chat) -> None:
    """The pages open all the same."""
    made = chat.application
    broken = Breaking(made.mailbox, "data_of", LedgerFailed("down"))
    facts = SlackFacts(
        broken,  # type: ignore[arg-type]
        made,
        made.router,
        made.pseudonyms,
        made.inbox(lambda: None),
    )
    assert (await facts.home("T1", ANNA)).health == wording.UNWELL


async def test_the_home_is_shown_anew_once_a_person_is_forgotten_R_S5(
    chat: Chat, facts: SlackFacts
) -> None:
    """Not before."""
    await chat.hears()
    assert "1 question" in (await facts.home("T1", ANNA)).data
    await chat.says("", action=Action.FORGET)
    await facts.wait_until_forgotten("T1", ANNA)
    assert (await facts.home("T1", ANNA)).data == "Nothing of yours is stored."


def test_first_questions_are_what_a_pack_must_answer_R_E1(tmp_path: Path) -> None:
    """A pack without them has none."""
    assert 1 <= len(read_first_questions(PACKS / "textbook")) <= 4
    assert read_first_questions(tmp_path) == ()
