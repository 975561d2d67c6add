"""Clauses and phrases in a row of tokens, and a row that follows another (R-V4)."""

from collections.abc import Iterator

from engine.validate.figures import Kind, Row, Token

_NEUTRAL = frozenset({"and", "but", "whereas", "however", "yet", ";"})
_GIVEN = frozenset({"because", "so"})  # links of which both sides are true
BE = frozenset({"is", "are", "was", "were", "be", "been", "being"})
_PASSIVE = frozenset({"be", "been", "being"})
FINITE = frozenset(
    {"is", "are", "was", "were", "has", "have", "had", "do", "does", "did"}
)
PRONOUNS = frozenset({"it", "they", "this", "these", "that", "those", "we", "you"})
RELATIVES = frozenset({"that", "which", "who", "whose"})
OPENERS = frozenset({"if", "when", "unless", "until", "while", "because", "so"})
_DETERMINERS = frozenset(
    {"a", "an", "the", "its", "their", "this", "these", "your", "our"}
)
_TIES = frozenset({"in", "for", "on", "at", "to"})
_BEFORE_TIE = frozenset({"even", "only"})
_TIE_WORDS = """
    before after during with from into against if when until unless within between under
    over around while without through despite apart according near inside outside
    besides across throughout by
"""
_MOVABLE = frozenset(_TIE_WORDS.split())
# Verbs that are hardly ever the plural of a noun.
_VERB_WORDS = """
    means contains requires includes helps becomes occurs happens describes computes
    sends receives keeps gives makes takes allows stays tells holds shows fails causes
    lowers raises reduces needs uses works lets goes comes runs begins depends adds
    kills blocks leads appears grows gets renders publishes converts looks reads sets
    exists follows improves prevents produces protects provides reaches relieves removes
    represents serves stands treats tries varies waits wants writes subscribes connects
    defines detects determines drives executes explains finds generates identifies
    indicates listens opens performs resolves rotates saves selects simulates solves
    spawns enters carries creates spreads destroys damages offers prints moves starts
    exist differ depend contain consist occur become belong remain
"""
_VERBS = frozenset(_VERB_WORDS.split())


def is_neutral(token: Token) -> bool:
    """Whether a token joins two clauses without saying how they depend."""
    if token.kind is not Kind.LINK:
        return False
    return token.key in _NEUTRAL or (token.key == "while" and bool(token.edge))


def is_clause(row: Row) -> bool:
    """Whether a row surely has a subject and then a verb of its own."""
    if not row:
        return False
    if _has_pronoun(row[0]):
        return True
    if row[0].kind is Kind.MODAL or not _is_subject(row[0]):
        return False
    for at, token in enumerate(row):
        if not RELATIVES.isdisjoint(token.lead) and (at or token.lead[0] != "that"):
            return False
        if token.kind is Kind.LINK and token.key in OPENERS:
            return False
        if at and is_verb(row, at):
            return True
    return False


def _has_pronoun(token: Token) -> bool:
    """Whether a verb's subject is a pronoun: "it raises", "they may"."""
    if token.lead[:1] not in (("it",), ("they",)):
        return False
    finite = not FINITE.isdisjoint(token.lead[1:2]) or token.word in _VERBS
    return finite or token.kind is Kind.MODAL


def _is_subject(token: Token) -> bool:
    """Whether a clause may open with a token: no verb, preposition or condition."""
    opens = token.lead[:1]
    if opens and opens[0] in FINITE | BE | _TIES | {"to", "of", "as"} | RELATIVES:
        return False
    return token.word not in _MOVABLE and token.word not in OPENERS


def is_verb(row: Row, at: int) -> bool:
    token = row[at]
    if token.kind is Kind.MODAL or not FINITE.isdisjoint(token.lead[:1]):
        return True
    if token.kind is not Kind.WORD or token.lead or token.edge:
        return False
    if token.word in _VERBS:
        return True
    if token.word.endswith(("ing", "ed", "ly")) or at + 1 >= len(row):
        return False
    return token.word not in _MOVABLE and not _DETERMINERS.isdisjoint(
        row[at + 1].lead[:1]
    )


def tie(row: Row) -> str:
    """The preposition or conjunction with which a row opens as a phrase, or ""."""
    token = row[0]
    if token.key in _BEFORE_TIE and len(row) > 1:
        inner = tie(row[1:])
        return f"{token.key} {inner}" if inner else ""
    if token.word in _MOVABLE:
        return "" if set(token.lead) & (FINITE | BE) else token.word
    if token.key == "so that":
        return token.key
    return token.lead[0] if token.lead and token.lead[0] in _TIES else ""


def follows(claim: Row, row: Row) -> bool:
    """Whether a claim is a row from its first token to its last.

    Nothing is left out, before a comma or between two: what stands there may be what
    the rest depends on ("provided that", "in older people", "once started").
    """
    if claim == row:
        pairs = zip(claim, row, strict=True)
        return bool(row) and all(_suffers(one) is _suffers(two) for one, two in pairs)
    reached = {0} if row[:1] == claim[:1] else set()
    for token in claim[1:]:
        reached = {at for start in reached for at in _next(token, row, start)}
        if not reached:
            return False
    return len(row) - 1 in reached


def _next(token: Token, row: Row, at: int) -> Iterator[int]:
    """Where `token` follows position `at`: next to it, or behind a word that says less.

    A link that only joins may stand for another, or for a comma.
    """
    if at + 1 >= len(row):
        return
    ahead = row[at + 1]
    same = ahead == token and _suffers(ahead) is _suffers(token)
    if same or (is_neutral(token) and _joins(ahead)):
        yield at + 1
    if (is_neutral(token) and ahead.edge) or (token.key == "however" and token.edge):
        yield at
    elif row[at + 2 : at + 3] == (token,) and (
        ahead.key == "then" or (is_neutral(ahead) and _opens(token))
    ):
        yield at + 2


def _suffers(token: Token) -> bool:
    """Whether "be" before a word may turn round who does it: "should be called"."""
    return not _PASSIVE.isdisjoint(token.lead)


def _joins(token: Token) -> bool:
    """Whether both sides of a token are true by themselves."""
    given = token.kind is Kind.LINK and token.key in _GIVEN
    return given or is_neutral(token)


def _opens(token: Token) -> bool:
    return bool(token.edge) or token.kind is Kind.LINK
