"""What no answer to a question can do without, and which sentences hold it: rules only.

Relevance is capped where nothing that would be quoted holds it (groups.py, R-G6).
"""

from dataclasses import dataclass
from itertools import islice, takewhile

import re2

from engine.lexicon import STOPWORDS, stems
from engine.question.grammar import find, named, words
from engine.retrieve.expected import NUMBER, TIME, UNIT_OF_TIME, Expected

LONGEST = 4_000  # characters of a question in which requirements are looked for
MOST_FIGURES = 100  # numbers of a question that are told from those of an answer

_FIGURE = (
    r"\b\d[\d,.]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|unlimited|no limit)\b"
)
_COMPARED = re2.compile(
    r"(?i)\b(?:than|compar\w+|versus|vs|differ\w*|whereas|unlike|similar\w*|same|"
    r"equal\w*|superior|inferior|better|worse|more|less|fewer|higher|lower|longer|"
    r"faster|slower|prefer\w*|best|worst)\b"
)

# A question that asks for one of these is answered only by a text that holds one.
REQUIRED: tuple[Expected, ...] = (
    Expected(
        "comparison",
        r"\b(?:better|worse|faster|slower|safer|cheaper|stronger|weaker|superior|longer|"
        r"higher|lower|less|more (?:\w+ )?)\b.{0,80}\b(?:than|or|versus|vs)\b|"
        r"\bwhich (?:\w+ ){0,3}(?:better|worse|faster|slower|safer|cheaper|lower|"
        r"higher|stronger|best) ",
        "",
    ),
    Expected(
        "temperature",
        r"\b(?:what|which) (?:\w+ )?temperatures?\b|\bhow (?:hot|cold)\b",
        r"\d\s?(?:°|degrees?|\x{ba})|\broom temperature\b|\brefrigerat",
    ),
    Expected(
        "money",
        r"(?:\bhow much (?:does|do|is|will|would)|^how much (?:did|was)) .{0,80}"
        r"\b(?:cost|price|charge|fees?|pay(?: for\b|\?|$))|"
        r"\b(?:price|cost) of\b|\bwhat (?:does|do|did) .{0,60} cost\b",
        r"[$\x{20ac}\x{a3}\x{a5}]\s?\d|\b\d[\d,.]* ?(?:(?:dollar|euro|pound|crown|"
        r"franc|rupee|peso|cent)s?|yen|yuan|usd|eur|gbp|cad|chf)\b|"
        r"\b(?:costs?|prices?|fees?|charges?|pays?)\b(?: \w+){0,4} \d+[.,]\d\d\b|"
        r"\b\d+[.,]\d\d (?:cost|price|fee|charge)s?\b|"
        r"\bfree\b|\b(?:no|without (?:a |any )?)(?:fee|cost|charge)s?\b",
        nouns=("fee", "fees", "cost", "costs", "price", "prices"),
    ),
    Expected(
        "deadline",
        r"\bhow long (?:do|does|did) .{1,40} have (?:to|until)\b|"
        r"\bwithin (?:what|which) (?:time|period|delay)\b",
        TIME + r"|\b(?:no|not) later than\b|\bwithout delay\b|\bimmediately\b|"
        r"\bas soon as\b|\buntil\b|\bbefore the end\b|\b(?:19|20)\d\d\b",
        nouns=("deadline", "deadlines", "time limit", "time limits"),
    ),
    Expected(
        "hours",
        r"\b(?:during|between|in) what hours\b",
        TIME + r"|\b\d\d?(?::\d\d| ?[ap]\.?m\b)",
        nouns=("hours",),
    ),
    Expected(
        "year",
        r"\b(?:what|which) year\b",
        r"\b(?:19|20)\d\d\b",
    ),
    Expected(
        "dose",
        r"\b(?:what|which|max\w*|recommended|usual|daily) (?:\w+ ){0,2}dos(?:e|age)\b|"
        r"\bhow many (?:mg|milligrams?|gray|gy)\b",
        r"\d\s?(?:mg|mcg|g|ml|gy|gray|milligrams?|iu|units?|micrograms?|cgy)\b|"
        r"\b\d+ (?:pills?|tablets?|capsules?)\b",
    ),
    Expected(
        "frequency",
        r"\bhow many times\b",
        r"\b(?:once|twice|daily|hourly|weekly|monthly|yearly|every)\b|"
        r"\b(?:each|per|an?) " + UNIT_OF_TIME + r"\b|" + NUMBER + r"(?: \w+)? times\b",
    ),
    Expected(
        "time",
        r"\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|nights|weeks|months|years)"
        r"\b",
        TIME,
    ),
    Expected(
        "figure",
        r"\b(?:what|which) (?:[\w-]+ ){0,3}(?:length|depth|size|number|target|"
        r"frequency|width|height|diameter|thresholds?|cutoff|percentile|range|level|limit|rate)\b"
        r".{0,80}\b(?:normal|high|low|too|exactly|use[ds]?|have|has|aim|take|allowed|"
        r"counts?|default|by default|max\w*|min\w*)\b|"
        r"\bexact(?:ly)? (?:\w+ )?(?:length|depth|size|number|width|height|range)\b|"
        r"\b(?:what(?:'s| is) the|^) ?(?:max\w*|min\w*|largest|smallest) (?:\w+ ){0,2}"
        r"(?:length|depth|size|number|width|height)\b|"
        r"\bhow much (?:memory|ram|space|disk|bandwidth)\b|"
        r"\bhow many (?:mb|gb|megabytes|gigabytes|bytes|kilograms|kg|pounds|meters)\b|"
        r"\bin (?:seconds|milliseconds|minutes|bytes|percent|degrees|met(?:er|re)s)\b",
        _FIGURE,
    ),
    Expected(
        "date",
        r"\b(?:what|which|exact) dates?\b|\bwhen (?:was|were|did|will) .{0,60}"
        r"\b(?:released?|approved|published|founded|launched)\b",
        r"\b(?:19|20)\d\d\b",
    ),
    Expected("count", r"\bhow many\b", NUMBER + r"|\bsingle\b|\bboth\b|\bno\b|\ball\b"),
    Expected(
        "share",
        r"\b(?:what|which) (?:percent|percentage|proportion|share)|\bsurvival rates?\b|"
        r"year survival\b",
        r"\d\s?(?:%|percent)|\b\d+ (?:in|out of|of) (?:every )?\d|\b(?:half|"
        r"third|quarter)s?\b",
    ),
    # What works against something; what brings it about is no answer (R-V4).
    Expected(
        "remedy",
        r"\b(?:what|which)(?: [\w(),-]+){0,4} (?:is|are|be)(?: \w+)? (?:given|used|"
        r"taken|prescribed|good) (?:against|to (?:treat|relieve|prevent|ease|stop))\b|"
        r"\b(?:what|which) (?:[\w-]+ ){0,3}(?:helps? (?:against|with)|"
        r"works? against|treats?|relieves?|eases?)\b",
        r"\b(?:against|treat(?:s|ed|ing|ments?)?|reliev\w+|relief|eas(?:e|es|ed|ing)|"
        r"prevent(?:s|ed|ing)?|control(?:s|led)?|reduc(?:e|es|ed|ing)|help(?:s|ed|ful)?|"
        r"stop(?:s|ped)?|blocks?|(?:used|given|taken) (?:for|to)|improv\w+)\b",
    ),
)
_REQUIRES = tuple((kind, re2.compile(f"(?i){kind.asks}")) for kind in REQUIRED)
_HOLDS = {k.name: re2.compile(f"(?i){k.shows}") for k in REQUIRED if k.shows}
_COUNTED = re2.compile(
    r"(?i)\bhow many (?:(?:other|different|new|main|more|of the|"
    r"(?:kind|type|sort)s of) )*"
    r"([\pL-]+)"
)
_CAUSES = re2.compile(
    r"(?i)\bcaus(?:e|es|ed|ing)\b|\bleads? to\b|\bbrings? (?:on|about)\b|\btriggers?\b"
)
# Numbers that count nothing: an age, a span of time, and "one" as a turn of phrase.
_FROM_TO = NUMBER + r"(?: ?(?:to|and|or|-|\x{2013}) ?" + NUMBER + r")?"
_UNCOUNTED = re2.compile(
    rf"(?i)\b(?:aged?|ages|(?:older|younger) than|under|over) {_FROM_TO}|"
    rf"{_FROM_TO}[- ]{UNIT_OF_TIME}\b|"
    r"\bone (?:of|or more|or both|another|day)\b|\b(?:more than|no|any|only) one\b"
)
_MORE_THAN = re2.compile(r"(?i)\b(?:more|less|fewer|longer) than (?:" + NUMBER + r")")
_PEOPLE = frozenset(
    stems(
        "people persons patients women men children kids infants babies boys girls "
        "adults volunteers participants cases"
    )
)
# Asked for a number, these are not answered by one that the question brought along.
_OWN = frozenset({"figure", "count", "time", "year", "date", "deadline", "hours"})
_MARKS = ".,;:!?()[]\"'"


@dataclass(frozen=True, slots=True)
class Needed:
    """What no answer to a question can do without.

    `counted` are the stems of what "how many" asks for; empty for other kinds.
    `figures` are the numbers of the question itself: they answer none that asks for a
    number of its own.
    """

    kind: str
    counted: frozenset[str] = frozenset()
    figures: frozenset[str] = frozenset()


def required(question: str) -> Needed | None:
    """The kind of thing without which no text answers `question`, or None."""
    question = question[:LONGEST]
    asked = _MORE_THAN.sub("", question)
    phrases = _asked_for(asked)
    for kind, pattern in _REQUIRES:
        nouns = tuple(f" {noun}" for noun in kind.nouns)
        if pattern.search(asked) or any(said.endswith(nouns) for said in phrases):
            counted = _counted(asked) if kind.name == "count" else frozenset()
            return Needed(kind.name, counted, _figures(question))
    return None


def _asked_for(question: str) -> tuple[str, ...]:
    """What "what is the …?" asks for, and a question without a verb, by its nouns.

    "Of" goes on with a name ("right of residence fee") or says of what ("cost of …"):
    so both are given, each with a blank before it.
    """
    plain = " ".join(question.lower().strip(_MARKS + " ").split())
    asks = find("asks_for", plain)
    said = (named(asks, "thing")[0] if asks else plain).split()
    verbal = words("ask", "be", "do", "modal", "have", "person")
    if asks is None and (verbal | words("order")) & set(said):
        return ()
    ends = (verbal | words("preposition", "conjunction", "determiner")) - {"of"}
    nouns = list(takewhile(lambda word: word not in ends, said))
    while nouns and nouns[-1] in words("applying"):
        nouns.pop()
    phrase = " ".join(("", *nouns)).removesuffix(" of")
    return (phrase, phrase.partition(" of ")[0])


def _counted(question: str) -> frozenset[str]:
    """The stems of the noun after "how many"; none where it is left out."""
    found = _COUNTED.search(question)
    if found is None or found[1].lower() in STOPWORDS:
        return frozenset()
    return frozenset(stems(found[1]))


def _figures(text: str) -> frozenset[str]:
    found = islice(_HOLDS["figure"].finditer(text), MOST_FIGURES)
    return frozenset(match.group().strip(".,").lower() for match in found)


def _without(figures: frozenset[str], sentence: str) -> str:
    """A sentence without the numbers that the question brought along."""
    words = sentence.split() if figures else (sentence,)
    return " ".join(w for w in words if w.strip(_MARKS).lower() not in figures)


def holds(needed: Needed, sentence: str, named: int) -> bool:
    """Whether a sentence holds what is required.

    Args:
        needed: as `required` found it.
        sentence: of the passages that would be quoted.
        named: how many of the question's rare words stand in it; a comparison needs
            two things that are compared, in one sentence.
    """
    if needed.kind == "comparison":
        return named >= 2 and _COMPARED.search(sentence) is not None
    if needed.kind == "figure" and not named:
        return False
    if needed.counted and not _counts(needed.counted, sentence):
        return False
    if needed.kind == "count":
        sentence = str(_UNCOUNTED.sub(" ", sentence))
    if needed.kind in _OWN:
        sentence = _without(needed.figures, sentence)
    return _HOLDS[needed.kind].search(sentence) is not None


def opposite(needed: Needed | None, text: str) -> bool:
    """Whether a text says what brings about that which a remedy is asked against."""
    if needed is None or needed.kind != "remedy":
        return False
    return _CAUSES.search(text) is not None and _HOLDS["remedy"].search(text) is None


def _counts(noun: frozenset[str], sentence: str) -> bool:
    """Whether a sentence names what is counted; people are people."""
    named = set(stems(sentence))
    return bool(named & _PEOPLE) if noun & _PEOPLE else noun <= named
