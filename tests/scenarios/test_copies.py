"""A copy is no second document: the gate of a medical pack stays closed (R-G1)."""

from pathlib import Path

from adapters.embedding import MiniLM
from engine.model.codes import Reason
from engine.model.outcome import Refusal
from tests.scenarios.evidence import Room, quoted

ASKED = (
    "How many cups of ginger tea may be drunk a day while the fluorouracil pump is "
    "running?"
)
SAID = (
    "Ginger tea may be drunk up to 3 cups a day while the fluorouracil pump is running."
)
OTHER = (
    "People with a fluorouracil pump drink no more than 3 cups of ginger tea a day.\n\n"
    "The pump is carried in a bag, and nobody should sleep on it.\n\n"
    "A nurse takes it off after 46 hours."
)
HEAD = "---\ntitle: {}\n---\n{}\n"


def test_a_copy_does_not_open_the_medical_gate_R_G1(
    embedder: MiniLM, tmp_path: Path
) -> None:
    """Under another name, title or format; another text does."""
    room = Room(tmp_path, embedder, "oncology")
    pages = {
        "ginger.md": HEAD.format("Ginger tea and the pump", SAID),
        "copy/tea.md": HEAD.format("Drinking with a pump", SAID),
        "copy/near.md": HEAD.format("Ginger", SAID.replace("3 cups", "three cups")),
        "tea.html": f"<title>Tea and pumps</title><p>{SAID}</p>",
    }
    _, (outcome,) = room.ask(pages, [ASKED], "acs")
    assert isinstance(outcome.result, Refusal)
    assert outcome.result.reason is Reason.LOW_DIVERSITY
    assert outcome.result.numbers["documents"] == 1
    _, (outcome,) = room.ask({"pumps.md": OTHER}, [ASKED], "acs")
    assert "no more than 3 cups" in quoted(outcome)
    assert quoted(outcome).count("Ginger tea may be drunk") == 1
