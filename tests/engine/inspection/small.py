"""Small questions and evidence for tests."""

from engine.inspection.question_pack import Inquiry
from engine.inspection.records import Block, Gathered, Line, Unread


def inquiry(**fields: object) -> Inquiry:
    """A question with two searches, `a` and `b`, and what is said otherwise."""
    searches = [{"kind": "search", "id": n, "pattern": n} for n in ("a", "b")]
    given: dict[str, object] = {
        "id": "q",
        "question": "Does it call eval, and where is it tested?",
        "preflights": searches,
        "allowed_verdicts": ["YES", "NO"],
    }
    return Inquiry.model_validate(given | fields)


def block(path: str = "a.py", first: int = 1, text: str = "x", *values: str) -> Block:
    """One line of evidence."""
    lines = (Line(number=first, text=text),)
    return Block(path=path, first=first, last=first, lines=lines, values=values)


def found(name: str, *blocks: Block, missed: int = 0, beyond: int = 0) -> Gathered:
    """What the preflight of a name found."""
    unread = (Unread(path="u.py", why="is gone"),) if missed else ()
    return Gathered(
        preflight=name,
        kind="search",
        blocks=blocks,
        files=3,
        missed=missed,
        unread=unread,
        beyond=beyond,
    )
