"""Words of grammar that a claim may leave out, but not exchange (R-V3).

"For two weeks" is not "in two weeks", "to the liver" not "in the liver", "was" not
"is", and "people who smoke" do not mean that people smoke.
"""

from collections import defaultdict

from engine.validate.figures import Row, Token

_RELATIVES = frozenset({"that", "which", "who", "whose"})
_PEOPLE = frozenset({"who", "which", "whose"})
_PLACES = frozenset({"in", "on", "at"})
_TURNS = (
    (frozenset({"for"}), _PLACES | {"to"}),
    (frozenset({"to"}), _PLACES | {"of"}),
    (frozenset({"was", "were", "did", "had"}), frozenset({"is", "are", "do", "does"})),
    (frozenset({"it"}), frozenset({"you", "we"})),
)


def exchanged(claim: Row, row: Row) -> bool:
    """Whether a token of the claim stands behind another word of grammar than its own.

    Each token is compared with the one of the same rank among its like in the row.
    """
    places: defaultdict[Token, list[Token]] = defaultdict(list)
    for token in reversed(row):
        places[token].append(token)
    for token in claim:
        own = places[token].pop() if places[token] else None
        if own is not None and own.lead != token.lead and _differs(token, own):
            return True
    return False


def _differs(said: Token, own: Token) -> bool:
    one, two = frozenset(said.lead), frozenset(own.lead)
    new, old = one - two, two - one
    if any(
        (new & left and old & right) or (new & right and old & left)
        for left, right in _TURNS
    ):
        return True
    narrowed = (own.lead[-1:] and own.lead[-1] in _RELATIVES) or two & _PEOPLE
    return bool(narrowed) and (
        not _RELATIVES & one or bool(said.edge) is not bool(own.edge)
    )
