"""Ways to falsify a quotation or a claim.

Every falsifier takes a text and a random source and returns another text, or None where
it finds nothing to change.
"""

import re
from collections.abc import Callable
from random import Random

Falsifier = Callable[[str, Random], str | None]

_UNITS = {
    "mg": "mcg",
    "mcg": "mg",
    "g": "mg",
    "mL": "L",
    "cm": "mm",
    "mm": "cm",
    "m": "km",
    "Gy": "mGy",
    "seconds": "minutes",
    "second": "minute",
    "minutes": "hours",
    "minute": "hour",
    "hours": "days",
    "hour": "day",
    "days": "weeks",
    "day": "week",
    "weeks": "months",
    "week": "month",
    "months": "years",
    "month": "year",
    "years": "months",
    "year": "month",
    "percent": "per mille",
    "%": "\u2030",
    "Hz": "kHz",
    "\u00b0C": "\u00b0F",
    "\u00b0F": "\u00b0C",
}
_NAMES = """
    paclitaxel docetaxel warfarin ibuprofen rituximab letrozole Gazebo Fortress Unity
    Humble Foxy rclcpp lidar NCT99999999 Herceptin Xeloda
"""
_ANTONYMS = {
    "increase": "decrease",
    "increases": "decreases",
    "decrease": "increase",
    "higher": "lower",
    "lower": "higher",
    "more": "less",
    "less": "more",
    "before": "after",
    "after": "before",
    "high": "low",
    "low": "high",
    "benign": "malignant",
    "malignant": "benign",
    "left": "right",
    "early": "late",
    "all": "some",
    "some": "all",
    "and": "or",
    "or": "and",
    "always": "rarely",
    "often": "never",
    "most": "few",
    "many": "few",
    "first": "last",
    "publisher": "subscriber",
    "server": "client",
    "normal": "abnormal",
    "common": "uncommon",
    "with": "without",
    "include": "exclude",
}
# Words that look like a paraphrase and say more, less or something else.
_STRENGTHS = {
    "people": "all people",
    "patients": "most patients",
    "someone": "everyone",
    "usually": "always",
    "generally": "often",
    "often": "usually",
    "sometimes": "often",
    "several": "many",
    "doctor": "nurse",
    "doctors": "nurses",
    "medicine": "supplement",
    "medicines": "supplements",
    "drug": "vaccine",
    "drugs": "vaccines",
    "start": "finish",
    "starts": "finishes",
    "begins": "ends",
    "gives": "takes",
    "shows": "proves",
    "keeps": "loses",
    "needs": "has",
    "because": "although",
    "when": "unless",
    "if": "even when",
    "while": "before",
    "during": "after",
    "within": "after",
    "for": "against",
    "each": "some",
    "every": "any other",
    "only": "also",
    "can": "will",
}
_DOES = (
    "causes|cause|uses|use|needs|provides|provide|contains|shows|gives|give|sends|send|"
    "allows|allow|makes|make|takes|take|lowers|reduces|includes|include|describes|calls|"
    "publishes|sets|runs|run|creates|create|returns|affects|affect|kills|helps|help"
)
_MODALS = ("may", "might", "can", "could", "should", "must", "will")
_LOOKALIKES = dict(
    zip(
        "aceopxyiAEOKMTC",
        "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0410\u0415\u041e\u041a\u041c\u0422\u0421",
        strict=True,
    )
)
_RAISED = dict(
    zip(
        "0123456789",
        "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079",
        strict=True,
    )
)
_HIDDEN = "\u200b\u200c\u200d\u2060\ufeff\u202e\u2066\U000e0041\ufe0f\u0301"
GRAMMAR = """
    a an the of to in for on at as is are was be it or and this that these those which
    their there have been also such with your were what they them does into
"""


def _places(pattern: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(pattern, text))


def _put(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _one(pattern: str, text: str, random: Random) -> re.Match[str] | None:
    found = _places(pattern, text)
    return random.choice(found) if found else None


def _swapped(text: str, random: Random, table: dict[str, str]) -> str | None:
    words = "|".join(map(re.escape, sorted(table, key=len, reverse=True)))
    match = _one(rf"(?<![\w.])(?:{words})(?!\w)", text, random)
    return _put(text, match, table[match.group()]) if match else None


def digit(text: str, random: Random) -> str | None:
    """Another digit in the place of one."""
    match = _one(r"[0-9]", text, random)
    others = "0123456789".replace(match.group(), "") if match else ""
    return _put(text, match, random.choice(others)) if match else None


def figure(text: str, random: Random) -> str | None:
    """A decimal point, a sign or a bound that was not there, or a digit less."""
    match = _one(r"(?<![\w.,-])[0-9]{2,}(?![\w,])", text, random)
    if match is None:
        return None
    old = match.group()
    return _put(
        text,
        match,
        random.choice([f"{old[0]}.{old[1:]}", f"-{old}", old[:-1], f"<{old}"]),
    )


def unit(text: str, random: Random) -> str | None:
    """Another unit."""
    return _swapped(text, random, _UNITS)


def negation_dropped(text: str, random: Random) -> str | None:
    """A negation left out."""
    match = _one(r"(?i)\b(?:not|never|no|without)\b ", text, random)
    return _put(text, match, "") if match else None


def negation_added(text: str, random: Random) -> str | None:
    """A negation behind a verb."""
    match = _one(r"\b(?:is|are|can|may|should|must|will|does|has|have)\b", text, random)
    return _put(text, match, f"{match.group()} not") if match else None


def modal(text: str, random: Random) -> str | None:
    """Another modal verb, or one where there was none."""
    match = _one(rf"\b(?:{'|'.join(_MODALS)}|is|are)\b", text, random)
    others = [word for word in _MODALS if match and word != match.group()]
    return _put(text, match, random.choice(others)) if match else None


def name(text: str, random: Random) -> str | None:
    """Another name in the place of a long word."""
    match = _one(r"\b[A-Za-z]{6,}\b", text, random)
    others = [word for word in _NAMES.split() if word.lower() not in text.lower()]
    return _put(text, match, random.choice(others)) if match and others else None


def antonym(text: str, random: Random) -> str | None:
    """The opposite word."""
    return _swapped(text, random, _ANTONYMS)


def order(text: str, random: Random) -> str | None:
    """Two words or figures, not neighbours, change places."""
    words = [
        match
        for match in _places(r"\b[A-Za-z]{5,}\b|\b[0-9]+\b", text)
        if match.group().lower() not in GRAMMAR.split()
    ]
    if len(words) < 3:
        return None
    first = random.randrange(len(words) - 2)
    second = random.randrange(first + 2, len(words))
    one, two = words[first], words[second]
    if one.group()[:4].lower() == two.group()[:4].lower():
        return None
    return _put(_put(text, two, one.group()), one, two.group())


def raised(text: str, random: Random) -> str | None:
    """A digit raised, or a raised one put down."""
    match = _one(r"[0-9]", text, random)
    return _put(text, match, _RAISED[match.group()]) if match else None


def lookalike(text: str, random: Random) -> str | None:
    """A letter of another script that looks the same."""
    match = _one(f"[{''.join(_LOOKALIKES)}]", text, random)
    return _put(text, match, _LOOKALIKES[match.group()]) if match else None


def hidden(text: str, random: Random) -> str | None:
    """A character that cannot be seen, or is seen on top, inside a word."""
    match = _one(r"(?<=[A-Za-z0-9])(?=[A-Za-z0-9])", text, random)
    return _put(text, match, random.choice(_HIDDEN)) if match else None


def wide(text: str, random: Random) -> str | None:
    """A letter or digit in full width."""
    match = _one(r"[A-Za-z0-9]", text, random)
    return _put(text, match, chr(ord(match.group()) + 0xFEE0)) if match else None


def foreign_digit(text: str, random: Random) -> str | None:
    """A digit of another script with the same value."""
    match = _one(r"[0-9]", text, random)
    zero = random.choice([0x0660, 0x0966, 0x1D7CE])
    return _put(text, match, chr(zero + int(match.group()))) if match else None


def inserted(text: str, random: Random) -> str | None:
    """A word that makes it stronger or weaker."""
    match = _one(r"(?<=[a-z]) (?=[a-z])", text, random)
    word = random.choice(
        ["severely", "completely", "only", "unsafe", "proven", "mildly"]
    )
    return _put(text, match, f" {word} ") if match else None


def strength(text: str, random: Random) -> str | None:
    """A word of another strength, person or relation."""
    return _swapped(text, random, _STRENGTHS)


def roles(text: str, random: Random) -> str | None:
    """The passive of the other one's deed: who did it is now whom it is done to."""
    match = re.match(rf"(?s)(.{{4,}}?) ({_DOES}) (.{{4,}}?)([.:]?)$", text)
    if match is None or " is " in match.group(1):
        return None
    doer, verb, done = match.group(1), match.group(2), match.group(3)
    return f"{doer} is {verb.removesuffix('s').removesuffix('e')}ed by {done}."


def halves(text: str, random: Random) -> str | None:
    """Cause and effect, or condition and consequence, change places."""
    match = re.match(
        r"(?is)(.{8,}),? (because|so|if|when|unless|until|before|after|while) (.{8,}?)"
        r"([.:]?)$",
        text,
    )
    if match is None:
        return None
    one, link, two, end = match.groups()
    return f"{two} {link} {one.rstrip(',')}{end}"


def reason(text: str, random: Random) -> str | None:
    """A reason or a consequence made of what was only joined."""
    match = _one(r", (?:and|but|or) |; ", text, random)
    link = random.choice([", so ", ", because ", ". For this reason ", ", if "])
    return _put(text, match, link) if match else None


def voice(text: str, random: Random) -> str | None:
    """A passive turned round without its "by" being turned."""
    match = re.match(
        r"(?s)(.{4,}?) ((?:is|are|was|were) \w+ed by) (.{4,}?)([.:]?)$", text
    )
    return f"{match.group(3)} {match.group(2)} {match.group(1)}." if match else None


FALSIFIERS: dict[str, Falsifier] = {
    falsifier.__name__: falsifier
    for falsifier in (
        digit,
        figure,
        unit,
        negation_dropped,
        negation_added,
        modal,
        name,
        antonym,
        order,
        raised,
        lookalike,
        hidden,
        wide,
        foreign_digit,
        inserted,
        strength,
        roles,
        halves,
        reason,
        voice,
    )
}


def spliced(one: str, two: str) -> str | None:
    """The first half of one sentence with the second half of another that says more."""
    first, second = one.split(" "), two.split(" ")
    tail = second[len(second) // 2 :]
    if set(" ".join(tail).lower().split()) <= set(one.lower().split()):
        return None
    return " ".join(first[: len(first) // 2] + tail)


def reasoned(one: str, two: str) -> str | None:
    """Two sentences of a source as cause and effect, where the source joins nothing."""
    if two[:2] != two[:2].capitalize() or re.search('["\u201c\u201d]', one):
        return None
    if re.match(r"(?i)for th|so |that is why|this is|therefore|as a|it |they ", two):
        return None
    return f"{one.rstrip('.')}, so {two[:1].lower()}{two[1:]}"
