"""A sentence that a claim may restate, and the clauses of it that stand alone.

A clause stands alone where nothing beside it may be its condition, its speaker or what
its words point back to (R-V4).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.validate.clauses import is_clause, is_verb, tie
from engine.validate.figures import Kind, Row, Token, tokens

Tokens = frozenset[Token]

# Words that make what stands beside them hold only under a condition, or doubt it.
_SCOPE = frozenset(
    [
        "only",
        "unless",
        "except",
        "if",
        "when",
        "whether",
        "until",
        "instead",
        "rather",
        "myth",
        "myths",
        "false",
        "falsely",
        "wrong",
        "wrongly",
        "untrue",
        "suggest",
        "suggests",
        "suggested",
        "thought",
        "believed",
        "unclear",
        "unknown",
        "unproven",
        "appear",
        "appears",
        "seem",
        "seems",
    ]
)
# Links before a clause that may be left off, and before one that may stand alone.
_ENDING = frozenset({"and", ";", "because", "so", "whereas"})
_OPENING = _ENDING | {"but"}
# Words by which a clause speaks of what stands before it.
_BACK = frozenset(
    {"then", "otherwise", "same", "other", "both", "this", "these", "those", "such"}
)
_PRONOUNS = frozenset({"it", "they", "its", "their"})
_FRONTS = "once given assuming provided supposing suppose imagine let granted seeing"
_CONDITIONS = frozenset(_FRONTS.split())
_TAKING_BACK = frozenset({("this",), ("that",), ("these",), ("those",)})
# Verbs and nouns by which a sentence says who believes what it says.
_TOLD_WORDS = """
    say claim think believe hope assume argue promise rumor expect fear doubt
    deny dispute suppose guess pretend imagine theory opinion
    mistake error misconception lie fiction hoax trap pitfall legend
"""
_TOLD = frozenset(token.key for token in tokens(_TOLD_WORDS))


@dataclass(frozen=True, slots=True)
class Ground:
    """Sentences `first` to `last` of a chunk, which a claim may restate.

    `names` are the title and headings that its "it" can only mean. `whole` says that
    the row is one full sentence, `leans` that it is true only with its list's lead-in.
    """

    first: int
    last: int
    row: Row
    names: tuple[Row, ...] = ()
    whole: bool = False
    leans: bool = False

    def clauses(self) -> Iterator["Ground"]:
        """The clauses of the sentence that are true without the rest of it."""
        row = self.row
        places = [
            at
            for at in range(2, len(row) - 1)
            if row[at - 1].kind is Kind.LINK and is_clause(row[at:])
        ]
        starts = [0, *(at for at in places if _may_open(row, at))]
        ends = [at - 1 for at in range(4, len(row)) if _may_close(row, at)]
        ends.append(len(row))
        for start in starts:
            for end in ends:
                if start + 1 < end and (start, end) != (0, len(row)):
                    yield replace(self, row=row[start:end], whole=False)


def doubts(row: Row) -> bool:
    """Whether a row may take back, bind to a condition or only report what it tells."""
    return row[0].kind is Kind.MODAL or any(
        token.key in _SCOPE or token.key in _TOLD or token.kind is Kind.NEGATION
        for token in row
    )


def _may_open(row: Row, at: int) -> bool:
    """Whether the clause at `at` holds without what stands before it.

    Not where that may be a condition of both, or say who believes it.
    """
    joint, before = row[at - 1], row[: at - 1]
    return (
        joint.key in _OPENING
        and bool(joint.edge or joint.key == ";")
        and is_clause(before)
        and not _is_fronted(before)
        and not tie(row)
        and not _points_back(row[at:])
        and not any(t.key in _SCOPE or t.key in _TOLD for t in before)
        and not any("that" in token.lead for token in before)
        and before[0].kind is not Kind.MODAL
    )


def _is_fronted(row: Row) -> bool:
    """Whether a clause opens with what may be a condition: "once it is off, ..."."""
    if row[0].word in _CONDITIONS or "as" in row[0].lead:
        return True
    verb = next((at for at in range(1, len(row)) if is_verb(row, at)), 0)
    return any(token.edge for token in row[1 : verb + 1])


def _points_back(clause: Row) -> bool:
    """Whether a clause speaks of what stands before it: "the risk is then high"."""
    named = not _PRONOUNS.isdisjoint(clause[0].lead[:1])
    return named or any(
        token.key in _BACK or not _BACK.isdisjoint(token.lead) for token in clause
    )


def _may_close(row: Row, at: int) -> bool:
    """Whether what stands before the link at `at` - 1 holds without the rest.

    The rest is a clause, or says something more of the same subject ("and lowers
    fever"), and neither takes anything back nor may belong to both.
    """
    link, before, after = row[at - 1], row[: at - 1], row[at:]
    if link.kind is not Kind.LINK or link.key not in _ENDING:
        return False
    if any(t.key in _SCOPE or t.kind is Kind.NEGATION for t in after):
        return False
    denied = any(token.kind is Kind.NEGATION for token in before)
    if is_clause(after):
        only_reason = denied and link.key == "because"  # "not given because it helps"
        taken_back = after[0].lead[:1] in _TAKING_BACK  # "and this is a lie"
        return not (only_reason or taken_back)
    told = any(t.key in _SCOPE or t.key in _TOLD for t in before)
    more = link.key == "and" and after[0].kind is Kind.WORD and is_verb(row, at)
    plain = all(t.kind is Kind.WORD and not tie((t,)) for t in after)
    return more and plain and not (denied or told) and is_clause(_main(before))


def _main(row: Row) -> Row:
    """The row without a phrase that a comma parts from its front."""
    opened = (at for at, token in enumerate(row) if at and token.edge)
    return row[next(opened, 0) :] if tie(row) else row
