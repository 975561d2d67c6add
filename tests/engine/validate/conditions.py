"""Ways to change when, how often and under which condition a sentence holds."""

import re
from random import Random

from tests.engine.validate.mutants import _one, _put

VERBS = (
    "causes|cause|uses|use|needs|need|provides|contains|contain|shows|show|gives|give|"
    "sends|send|allows|makes|make|takes|take|lowers|lower|reduces|reduce|includes|"
    "include|describes|calls|call|publishes|sets|runs|creates|returns|affects|affect|"
    "kills|kill|helps|help|treats|treat|blocks|block|stops|stop|finds|find|computes|"
    "compares|measures|changes|change|increases|increase|raises|raise|prevents|"
    "prevent|removes|remove|starts|start|damages|damage|holds|hold|means|mean|"
    "receives|receive|loads|reads|writes|defines|controls|moves|has|have|is|are|was|"
    "were|can|may|should|must|will|might|could"
)
VERB = rf"\b(?:{VERBS})\b"
_CONDITION = (
    r"(?:if|when|unless|until|while|before|after|during|because|although|in "
    r"people (?:with|who)|in patients (?:with|who)|except|without|within|at least|for "
    r"people (?:with|who)|as long as)"
)
_PHRASE = rf",? \b{_CONDITION}\b [^,.;:]+"
_SCOPES = (
    "only|not|often|sometimes|usually|rarely|mainly|mostly|always|never|even|"
    "partly|first|again|together|alone|most|some|all|many|few|every|each|several|both"
)


def cased(old: str, new: str) -> str:
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def lowered(text: str) -> str:
    second = text[1:2]
    return text if second.isupper() else text[:1].lower() + text[1:]


def uppered(text: str) -> str:
    return text[:1].upper() + text[1:]


def condition_dropped(text: str, near: str, random: Random) -> str | None:
    """A condition, a time or an exception left out."""
    match = _one(_PHRASE, text, random)
    joint = match is not None and re.match(
        r",? because|, while|, although", match.group()
    )
    if match is None or joint or len(match.group()) > len(text) * 0.8:
        return None
    rest = _put(text, match, "").strip()
    return rest if re.search(VERB, rest) else None


def condition_of_neighbour(text: str, near: str, random: Random) -> str | None:
    """The neighbouring sentence's condition."""
    match = _one(_PHRASE, near, random)
    if match is None or re.match("(?i)(?:this|that) is|the while", near):
        return None
    if text.endswith(":"):
        return None  # an item of its list
    phrase = match.group().strip(" ,")
    if random.random() < 0.5:
        return f"{uppered(phrase)}, {lowered(text)}"
    return f"{text.rstrip('.')} {phrase}."


def condition_moved(text: str, near: str, random: Random) -> str | None:
    """A condition of one of two clauses made one of the other."""
    match = re.match(
        rf"(?s)([^,;]+), (and|but|so|because|while) ([^,;]+?) "
        rf"({_CONDITION} [^,;.]+)\.?$",
        text,
    )
    if match is None:
        return None
    one, link, two, condition = match.groups()
    return f"{one} {condition}, {link} {two}."


def condition_turned(text: str, near: str, random: Random) -> str | None:
    """Condition and consequence change places, in front or behind."""
    if text.startswith("This is"):
        return None
    match = re.match(
        r"(?s)(If|When|Unless|Until|Before|After|While|Because|Once) ([^,]{5,}), "
        r"([^.;]+?)\.?$",
        text,
    )
    if match and " " in match.group(2).strip() and "For" not in match.group(1):
        link, one, two = match.groups()
        return f"{link} {lowered(two)}, {one}."
    match = re.match(
        r"(?s)([^,;]{8,}?),? (if|when|unless|until|before|after|while|because|once|so) "
        r"([^,;]{8,}?)\.?$",
        text,
    )
    if match is None:
        return None
    one, link, two = match.groups()
    if link == "so":
        return f"{uppered(two)}, so {lowered(one)}."
    return random.choice(
        [
            f"{uppered(link)} {lowered(one)}, {two}.",
            f"{uppered(two)} {link} {lowered(one)}.",
        ]
    )


def link(text: str, near: str, random: Random) -> str | None:
    """Another relation between two clauses."""
    links = (
        "because",
        "although",
        "unless",
        "if",
        "before",
        "after",
        "until",
        "so that",
    )
    match = _one(rf"\b(?:{'|'.join(links)}|when|while)\b", text, random)
    if match is None:
        return None
    said = "if" if match.group().lower() == "when" else match.group().lower()
    other = random.choice([word for word in links if word != said])
    return _put(text, match, cased(match.group(), other))


def scope_moved(text: str, near: str, random: Random) -> str | None:
    """A word of scope at another place."""
    match = _one(rf" \b(?:{_SCOPES})\b(?= )", text, random)
    if match is None:
        return None
    rest = _put(text, match, "")
    gaps = [
        m
        for m in re.finditer(r"(?<=\w) (?=\w)", rest)
        if abs(m.start() - match.start()) > 12
    ]
    gap = random.choice(gaps) if gaps else None
    return f"{rest[: gap.start()]}{match.group()}{rest[gap.start() :]}" if gap else None


def scope_dropped(text: str, near: str, random: Random) -> str | None:
    """A word of scope left out."""
    words = _SCOPES.replace("again|", "").replace("even|", "")
    words = words.replace("all|", "").replace("both", "mild").replace("together|", "")
    match = _one(rf" \b(?:{words})\b(?= )", text, random)
    return _put(text, match, "") if match else None


def negation_moved(text: str, near: str, random: Random) -> str | None:
    """A "not" taken from one verb and put behind another."""
    match = _one(r" not\b", text, random)
    if match is None:
        return None
    rest = _put(text, match, "")
    verbs = [
        m
        for m in re.finditer(
            r"\b(?:is|are|was|were|can|may|should|must|will|has|do|does)\b", rest
        )
        if m.end() != match.start()
        and rest[m.end() : m.end() + 3] != " do"
        and rest[m.start() - 5 : m.start()] != "does "
    ]
    verb = random.choice(verbs) if verbs else None
    return _put(rest, verb, f"{verb.group()} not") if verb else None


def subject_widened(text: str, near: str, random: Random) -> str | None:
    """A subject without what narrows it."""
    match = re.match(
        rf"(?s)((?:The |A |An )?[\w-]+(?: [\w-]+)?),? (?:that(?! this)|which|who|"
        rf"with|in|of|after|from|for|on|without) [^,;.]{{4,80}}? ({VERB} .*)$",
        text,
    )
    return f"{match.group(1)} {match.group(2)}" if match else None


def adjective_dropped(text: str, near: str, random: Random) -> str | None:
    """A subject without the adjective before it."""
    match = re.match(
        r"(?s)((?:The |A |An |These |Some )?)([A-Za-z-]{4,}(?:al|ic|ed|ive|ous|ary|ful|"
        r"ent|ant|ing|ere|ong|igh|ow|ew|ld|ort|ild)) ([a-z][\w-]{3,}.*)$",
        text,
    )
    return uppered(f"{match.group(1)}{match.group(3)}") if match else None
