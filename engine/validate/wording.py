"""Words that say the same: two sources that exchange them do not disagree (R-R11).

Each row holds words that stand for each other in both directions, in every sentence of
a pack's sources. Reviewed: no figure, negation, modal verb,
condition, comparison or direction is among them, and no two words of different
strength: "often" is not "usually", "should" not "must", "may" not "can".
"""

from collections.abc import Iterator

import re2

# The first word of a row stands for all of it.
_SAME = """
    people person persons patient patients someone somebody anyone anybody individuals
    usually generally
    begin begins began begun beginning start starts started starting
    give gives gave given giving
    show shows showed shown showing
    make makes made making
    take takes took taken taking
    keep keeps kept keeping
    know knows knew known knowing
    grow grows grew grown growing
    choose chooses chose chosen choosing
    hold holds held holding
    send sends sent sending
    build builds built building
    find finds found finding
    tell tells told telling
    link links linked connect connects connected
    continue continues continued
    stop stops stopped
    avoid avoids avoided avoiding
    need needs needed
    fail fails failed
    suggest suggests suggested
    appear appears
    seem seems
"""
ROWS = tuple(tuple(line.split()) for line in _SAME.strip().splitlines())
SAME = {word: row[0] for row in ROWS for word in row}

# British and American spelling; each side is a stem.
_SPELLINGS = (
    ("tumour", "tumor"),
    ("colour", "color"),
    ("behaviour", "behavior"),
    ("diarrhoea", "diarrhea"),
    ("anaemi", "anemi"),
    ("leukaemi", "leukemi"),
    ("oedema", "edema"),
    ("fibre", "fiber"),
    ("centre", "center"),
    ("oestrogen", "estrogen"),
    ("counsell", "counsel"),
    ("labelled", "labeled"),
    ("modell", "model"),
    ("haem", "hem"),
    ("paediatric", "pediatric"),
    ("oesophag", "esophag"),
)
_BRITISH = re2.compile("|".join(british for british, _ in _SPELLINGS))
_AMERICAN = dict(_SPELLINGS)

# Turns that join what follows to what stands before, as one word each. "So" and
# "because" are opposite directions of one relation; nothing else names a reason.
_TURNS = (
    (r"(?:for th(?:is|at) reason|(?:this|that|which) is why|therefore|consequently)",
     ", so "),
    (r"(?:the reason (?:for (?:this|that) )?is that|th(?:is|at) is because)",
     ", because "),
    (r"(?:for example|for instance)", " such as "),
    (r"in spite of", "despite"),
)  # fmt: skip
_TURN = re2.compile("(?i)" + "|".join(rf"(\b{turn}\b,?)" for turn, _ in _TURNS))


def spelled(word: str) -> str:
    """The word in its American spelling."""
    found = _BRITISH.search(word)
    if found is None:
        return word
    return word[: found.start()] + _AMERICAN[found.group()] + word[found.end() :]


def turned(text: str) -> str:
    """The text with every turn of more than one word as one."""
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    done = 0
    for match in _TURN.finditer(text):
        yield text[done : match.start()]
        yield _TURNS[match.lastindex - 1][1]
        done = match.end()
    yield text[done:]
