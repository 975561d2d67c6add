"""Files of one text are named, and files of nearly one (R-G1)."""

import pytest

from engine.search.copies import Fingerprint, are_same
from tests.bot.conftest import Library

LEAFLET = "# Ginger\n\nGinger tea may be drunk, up to 3 cups a day, at any time."


async def test_files_that_hold_the_same_are_named_R_G1(library: Library) -> None:
    """A copy, a link, another title or format; and what a file was called before."""
    first = library.write("notes/ginger.md", LEAFLET)
    library.write("notes/copy.md", LEAFLET, title="Another title")
    library.write("notes/tea.html", LEAFLET.replace("# Ginger\n\n", "<p>"))
    (library.folder / "notes/link.md").symlink_to(first)
    (told,) = [n for n in (await library.ingest()).notes if "the same text" in n]
    assert all(name in told for name in ("ginger.md", "copy.md", "tea.html", "link.md"))
    assert "they count as one document" in told
    first.rename(first.with_name("herbs.md"))
    (library.folder / "notes/link.md").unlink()
    (told,) = [n for n in (await library.ingest()).notes if "the same text" in n]
    assert "ginger.md (not there any more: --prune takes it out)" in told
    assert "herbs.md" in told
    (told,) = [
        n for n in (await library.ingest(prune=True)).notes if "the same text" in n
    ]
    assert "ginger.md" not in told


PAGE = (
    "# Ports\n\nA port is flushed every four weeks by the nurse of the ward. Wash the "
    "skin around it with soap and water every day. Call the team at once if the skin "
    "turns red or warm. Nobody draws blood from it but the team. It is taken out after "
    "the last course of treatment."
)


@pytest.mark.parametrize(
    ("text", "other", "alike"),
    [
        (LEAFLET, LEAFLET.replace("drunk", "taken"), True),
        (PAGE, PAGE.replace("soap", "foam").replace("red", "sore"), True),
        (PAGE, PAGE.replace("Nobody draws blood from it but the team. ", ""), True),
        (PAGE, f"{PAGE} Ask us for a card. Carry it.", True),
        (PAGE, PAGE.replace("at once", "soon").replace("the last", "each"), True),
        (LEAFLET, "# Ginger\n\nGinger tea may be drunk in the evening alone.", False),
        (PAGE, PAGE[: PAGE.index("Call")] + "Swim with it. Fly with it.", False),
    ],
)
async def test_near_copies_are_told_by_the_gates_own_rule_R_G1(
    library: Library, text: str, other: str, *, alike: bool
) -> None:
    """Four fifths of the sentences, nine tenths of their words."""
    library.write("notes/a.md", text)
    library.write("notes/b.md", other)
    told = [n for n in (await library.ingest()).notes if "the same text" in n]
    assert bool(told) is alike
    prints = []
    documents = library.corpus.documents
    for member in await documents.memberships("small"):
        if member.path.endswith(("/a.md", "/b.md")):
            key = (member.document, member.version, "small")
            stored = await documents.document(*key)
            assert stored is not None
            prints.append(Fingerprint.of(stored))
    one, two = prints
    assert are_same(one, two) is alike
