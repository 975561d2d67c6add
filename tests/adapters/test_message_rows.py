"""Rows of the mailbox that an earlier program wrote are read by this one (R-C3)."""

from adapters.ledger.mail_records import Binding
from adapters.mail import Incoming
from tests.adapters.discord.letters import incoming

BOUND = Binding(platform="slack", tenant="slack:T1", channel="C1", pack="oncology")


def test_what_waited_before_gaps_left_the_chat_is_read_R_C3() -> None:
    """A question in the inbox at the restart names the gap and passage of a button."""
    written = incoming().model_dump(mode="json") | {"gap": None, "passage": None}
    assert Incoming.model_validate(written) == incoming()


def test_a_binding_that_names_owners_is_read_R_U5() -> None:
    written = BOUND.model_dump(mode="json") | {"owners": ["U1"]}
    assert Binding.model_validate(written) == BOUND
