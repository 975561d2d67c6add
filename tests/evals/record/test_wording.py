"""A row brings the pack's own texts of its reply, and no text of the reply itself."""

from dataclasses import replace

from adapters import packs
from config.settings import PACKS
from evals.record.rows import find_wording
from evals.score import specimen
from evals.score.wording import fixed

PACK = packs.load(PACKS / "oncology")
WORDING = PACK.wording


def test_a_row_brings_the_texts_that_its_reply_holds_R_V2() -> None:
    """Those of the pack alone, whole, and no other text of it."""
    said = f"Chew it.\n\n{WORDING.acknowledgement} {WORDING.lacks}\n"
    found = find_wording(PACK, said)["texts"]
    assert set(found) == {WORDING.acknowledgement, WORDING.lacks}


def test_every_text_of_a_pack_is_known_and_prose_beside_it_is_not_R_V2() -> None:
    """Its lines, one behind the other, with dates and words of the question."""
    younger = WORDING.younger.replace("{date}", "2026-01-31")
    for line in (
        *WORDING.acknowledgement.splitlines(),
        *(line for kind in WORDING.emergencies for line in kind.text.splitlines()),
        *(text for notice in PACK.notices.values() for text in [notice.text]),
        f"{WORDING.lacks} {WORDING.turn_to}",
        WORDING.not_found.replace("{missing}", "how is veltromab taken?"),
        younger,
    ):
        row = replace(specimen.answer(), worded=find_wording(PACK, line))
        known = fixed(row)
        assert known(line), line
        assert not known(f"{line} Chew the tablets.")
        assert not known(f"Chew the tablets. {line}")
        assert not known(line.swapcase())
