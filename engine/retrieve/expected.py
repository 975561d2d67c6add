"""What kind of answer a question expects, and whether a text holds one: rules only."""

from dataclasses import dataclass

import re2

from engine.lexicon import stems

_NUMBER = (
    r"(?:\b\d[\d,.]*\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|half|"
    r"twice|once|several|few)\b)"
)
_UNIT_OF_TIME = (
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|hrs?|mins?|"
    r"milliseconds?|ms|decades?)"
)
_FIGURE = (
    r"\b\d[\d,.]*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|unlimited|no limit)\b"
)
# A number and, at most three words on, a unit of time.
_TIME = _NUMBER + r"(?:[- \x{2013}]\w+){0,3}?[- ]" + _UNIT_OF_TIME + r"\b"


@dataclass(frozen=True, slots=True)
class Expected:
    """One kind of answer: when a question asks for it, and how a text shows it."""

    name: str
    asks: str
    shows: str


KINDS: tuple[Expected, ...] = (
    Expected(
        "temperature",
        r"\btemperatures?\b|\bhow (?:hot|cold|warm)\b",
        r"\d\s?(?:°|degrees?)|°|\b(?:room temperature|hot|cold|warm|cool|frozen|"
        r"lukewarm|refrigerat\w+|freez\w+)\b",
    ),
    Expected(
        "size",
        r"\b(?:size|resolution|length|width|height|thickness|diameter|"
        r"capacity)\b.{0,40}"
        r"\?|\bhow (?:big|large|small|tall|wide|thick|deep|far)\b",
        r"\d\s?(?:mm|cm|m|km|kb|mb|gb|bytes?|bits?|inch(?:es)?|feet|px|pixels|"
        r"centimet\w+|millimet\w+|met(?:er|re)s?)\b|\b(?:small|larg|big|tin|long|"
        r"short)\w*\b|\b\d+ ?[x\x{d7}] ?\d+|\bsize\w* (?:is|of|to)?\s?\d|\d",
    ),
    Expected(
        "licence",
        r"\blicen[cs]e[ds]?\b",
        r"\blicen[cs]|\bapache\b|\bmit\b|\bbsd\b|\bgpl\b|\bproprietary\b|"
        r"\bcommercial\b",
    ),
    Expected(
        "default",
        r"\bdefaults?\b",
        r"\bdefaults?\b|\botherwise\b|\bif (?:not|no|un)|\bunless\b|\bwithout any\b|"
        r"\bno (?:command|options?)\b",
    ),
    Expected(
        "share",
        r"\b(?:what|which) (?:percent|percentage|share|proportion|fraction)|"
        r"\bhow (?:likely|common|frequent|probable)|\bodds\b|\bchances?\b|survival "
        r"rates?|year survival|\bsurvival (?:for|of|in)\b",
        r"\d\s?(?:%|percent)|\b\d+ (?:in|out of) (?:every )?\d|\b(?:about|one|two) "
        r"(?:half|third|quarter)|\bmost\b|\brare(?:ly)?\b|\b(?:un)?common(?:ly)?\b|"
        r"\b(?:un)?likely\b|\bmany\b|\bfew\b|\b(?:one|two|three)[- ]"
        r"(?:third|quarter|half|thirds|quarters|fifths?)",
    ),
    Expected(
        "dose",
        r"\b(?:what|which|max\w*|recommended|usual|daily) (?:\w+ ){0,2}dos(?:e|age)|"
        r"\bhow many (?:mg|milligrams?|gray|gy|pills|tablets|ml)\b|\bdos(?:e|age) of",
        r"\d\s?(?:mg|mcg|g|ml|gy|gray|milligrams?|iu|units?|micrograms?|grams?|cgy)\b|"
        r"\b(?:pills?|tablets?|capsules?)\b",
    ),
    Expected(
        "duration",
        r"\bhow long\b|\bhow (?:soon|quickly|fast)\b|\bhow many (?:minutes|hours|days|"
        r"weeks|months|years)|\bfor how many\b|\bhow much time\b",
        _TIME + r"|"
        r"\b(?:an?|each|every|per|many|few) " + _UNIT_OF_TIME + r"\b|"
        r"\blifelong\b|\brest of your life\b|\bovernight\b|\bright away\b|"
        r"\bimmediately\b|\bpermanent\w*|\bquickly\b|\bsoon\b|\bend of\b|"
        r"\bfor life\b|\bas long as\b|\buntil\b",
    ),
    Expected(
        "frequency",
        r"\bhow often\b|\bhow many times\b|\bhow frequent",
        r"\bevery\b|\btimes?\b|\bdaily\b|\bweekly\b|\bmonthly\b|\byearly\b|\beach\b|"
        r"\bonce\b|\btwice\b|\bper (?:day|week|month|year|second)\b|\bhz\b|"
        r"\b(?:regular|frequent)(?:ly)?\b|\balways\b|\brarely\b",
    ),
    Expected(
        "money",
        r"\bhow much (?:does|do|is|will|would) .{0,60}\b(?:cost|price|charge|pay)|"
        r"\bwhat (?:does|is|do) .{0,60}\b(?:cost|price)\b|\bprice of\b|\bcost of\b",
        r"[$€£¥]\s?\d|\b\d[\d,.]* ?(?:dollars|euros|usd|pounds)\b|\bfree of charge\b",
    ),
    Expected(
        "year",
        r"\b(?:what|which) year\b|\bin what year\b|\bwhen (?:was|did|were|is|does|"
        r"will)\b"
        r".{0,60}\b(?:approved|released?|founded|published|discovered|introduced|"
        r"invented|"
        r"end|begin|started|born|die|licensed|support)",
        r"\b(?:19|20)\d\d\b",
    ),
    Expected(
        "count",
        r"\bhow many\b|\b(?:what|which) (?:[\w-]+ ){0,3}number\b|\bnumber of\b",
        _NUMBER + r"|\bsingle\b|\bboth\b|\bno limit\b|\bonly one\b|\bunlimited\b",
    ),
    Expected(
        "amount",
        r"\bhow (?:much|big|large|fast|high|heavy|far|deep|tall|wide|strong|hot|"
        r"cold)\b|"
        r"\b(?:max(?:imum)?|min(?:imum)?)\b|\bat (?:least|most)\b",
        r"\d|" + _NUMBER + r"|\bmore\b|\bless\b|\bamount\b",
    ),
    Expected(
        "age",
        r"\b(?:what|which|at what) age\b|\bhow old\b",
        r"\bage[ds]?\b|\byears? old\b|\b\d+ years\b|\bolder\b|\byounger\b",
    ),
    Expected(
        "version",
        r"\b(?:what|which) (?:\w+ )?(?:version|release|distribution|distro)s?\b",
        r"\b\d+(?:\.\d+)+\b|\bversions?\b|\breleases?\b|[A-Z][a-z]+ \d",
    ),
    Expected(
        "command",
        r"\b(?:what|which|the) (?:\w+ ){0,3}(?:command|flag|option|argument|package|"
        r"topic|"
        r"file|function|method|class|variable|parameter|macro|tag|element|symbol|key|"
        r"environment variable|message type)\b",
        r"[A-Za-z0-9]_[A-Za-z0-9]|--\w|/\w+|\w\(\)|::|<\w+>|\.\w{2,4}\b|`|"
        r"\w\.\w|[A-Z][a-z]+[A-Z]|\bkey\b|\bcommand\b|\boption\b",
    ),
    Expected(
        "reason",
        r"^why\b|\bwhy (?:is|are|do|does|did|should|can|would|must)\b|\bwhat causes?\b|"
        r"\bwhat is the reason\b|\bhow come\b",
        r"\bbecause\b|\bsince\b|\bdue to\b|\bso that\b|\bcaus\w+|\breason\b|\bresults? "
        r"from\b|\bin order to\b|\btherefore\b|\bthis (?:means|is why|allows|lets|"
        r"makes|helps)\b|\bwhich (?:means|allows|makes|lets|can)\b|\bto (?:avoid|"
        r"prevent|"
        r"ensure|keep|make|allow|help|protect|reduce)\b|\bso\b|\bas a result\b|"
        r"\blead\w*"
        r"\b|\bhelps?\b|\bmay\b",
    ),
    Expected(
        "comparison",
        r"\bbetter\b|\bworse\b|\bfaster\b|\bsafer\b|\bmore \w+ than\b|\bcompared?\b|"
        r"\bversus\b|\bvs\.?\b|\bdifferences?\b|\bsuperior\b|\bpreferred\b|\bcheaper\b",
        r"\bthan\b|\bcompar\w+|\bdiffer\w*|\bwhereas\b|\bunlike\b|\bversus\b|\bboth\b|"
        r"\bwhile\b|\binstead\b|\bbetter\b|\bmore\b|\bless\b|\bfaster\b|\bslower\b|"
        r"\bin contrast\b|\bhowever\b|\bsimilar\w*|\bsame\b|\bprefer\w*",
    ),
    Expected(
        "person",
        r"^who\b|\bwho (?:is|was|are|made|created|invented|founded|wrote|develops?|"
        r"maintains?|discovered|owns|makes)\b|\bwhich (?:company|organi[sz]ation|"
        r"doctor)",
        r"\b[A-Z][a-z]+ [A-Z][a-z]+|\b(?:people|patients?|adults?|women|men|children|"
        r"doctors?|nurses?|specialists?|team|person|users?|anyone|someone|you|"
        r"administrators?|members?|organi[sz]ations?|company)\b",
    ),
    Expected(
        "definition",
        r"^(?:so,? )?what(?:'s| is| are) (?:a |an |the )?(?:[\w/.-]+ ?){1,4}\s*\??$|"
        r"^(?:so,? )?what (?:does|do) (?:[\w/.-]+ ?){1,5} (?:mean|stand for)\s*\??$|"
        r"\bdefin(?:e|ition)\b",
        r"\b(?:is|are|was|has|have|does|do)\b|\brefers? to\b|"
        r"\bmeans?\b|\bcalled\b|\bknown as\b|\bdefin|\bstands for\b|"
        r"\bconsists? of\b|\bact as\b|\w \((?:an?|the|also|or)\b|^[^.:]{2,60}:|"
        r"\w, (?:an?|or|the)\b|\b\w+s (?:the|a|an|how|when|where|whether)\b|"
        r"\b(?:may|can) (?:be|cause|include)\b",
    ),
    Expected(
        "place",
        r"^where\b|\bwhere (?:is|are|do|does|can|should|will|in)\b",
        r"\b(?:in|on|at|inside|under|from|into|near|within|to|around|between)\b",
    ),
)

_ASKS = tuple((kind, re2.compile(f"(?i){kind.asks}")) for kind in KINDS)
_SHOWS = {kind.name: re2.compile(f"(?i){kind.shows}") for kind in KINDS}
# A proper name is told by its capitals, so this one is not folded.
_SHOWS["person"] = re2.compile(next(k.shows for k in KINDS if k.name == "person"))


def expected(question: str) -> str | None:
    """The kind of answer that `question` asks for, or None where any will do."""
    text = question.strip()
    for kind, pattern in _ASKS:
        if pattern.search(text):
            return kind.name
    return None


def shows(kind: str, text: str) -> bool:
    """Whether `text` holds an answer of that kind."""
    return _SHOWS[kind].search(text) is not None


# --- what must be there -----------------------------------------------------------

_COMPARED = re2.compile(
    r"(?i)\b(?:than|compar\w+|versus|vs|differ\w*|whereas|unlike|similar\w*|same|"
    r"equal\w*|superior|inferior|better|worse|more|less|fewer|higher|lower|longer|"
    r"faster|slower|prefer\w*)\b"
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
        r"\bhow much (?:does|do|is|will|would) .{0,80}\b(?:cost|price|charge)|"
        r"\b(?:price|cost) of\b|\bwhat (?:does|do) .{0,60} cost\b",
        r"[$\x{20ac}\x{a3}\x{a5}]\s?\d|\b\d[\d,.]* ?(?:dollars|euros|pounds|usd)\b|"
        r"\bfree\b",
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
        "time",
        r"\bhow many (?:\w+ )?(?:seconds|minutes|hours|days|nights|weeks|months|years)"
        r"\b",
        _TIME,
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
    Expected(
        "count", r"\bhow many\b", _NUMBER + r"|\bsingle\b|\bboth\b|\bno\b|\ball\b"
    ),
    Expected(
        "share",
        r"\b(?:what|which) (?:percent|percentage|proportion|share)|\bsurvival rates?\b|"
        r"year survival\b",
        r"\d\s?(?:%|percent)|\b\d+ (?:in|out of|of) (?:every )?\d|\b(?:half|"
        r"third|quarter)s?\b",
    ),
)
_REQUIRES = tuple((kind, re2.compile(f"(?i){kind.asks}")) for kind in REQUIRED)
_HOLDS = {k.name: re2.compile(f"(?i){k.shows}") for k in REQUIRED if k.shows}
_COUNTED = re2.compile(
    r"(?i)\bhow many (?:(?:other|different|new|main|more|of the|"
    r"(?:kind|type|sort)s of) )*"
    r"([\pL-]+)"
)
_MORE_THAN = re2.compile(r"(?i)\b(?:more|less|fewer|longer) than (?:" + _NUMBER + r")")
_PEOPLE = frozenset(
    stems("people persons patients women men children adults participants")
)


@dataclass(frozen=True, slots=True)
class Needed:
    """What no answer to a question can do without.

    `counted` are the stems of what "how many" asks for; empty for other kinds.
    `figures` are the numbers of the question itself, which answer nothing.
    """

    kind: str
    counted: str = ""
    figures: frozenset[str] = frozenset()


def required(question: str) -> Needed | None:
    """The kind of thing without which no text answers `question`, or None."""
    question = _MORE_THAN.sub("", question)
    for kind, pattern in _REQUIRES:
        if pattern.search(question):
            found = _COUNTED.search(question) if kind.name == "count" else None
            figures = (n.strip(".,") for n in _HOLDS["figure"].findall(question))
            counted = " ".join(stems(found[1])) if found else ""
            return Needed(kind.name, counted, frozenset(figures))
    return None


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
    if needed.kind == "figure":
        found = {n.strip(".,") for n in _HOLDS["figure"].findall(sentence)}
        return named > 0 and not found <= needed.figures
    if needed.counted:
        return _counts(needed.counted, sentence)
    return _HOLDS[needed.kind].search(sentence) is not None


def _counts(noun: str, sentence: str) -> bool:
    """Whether a sentence has a number and what is counted; people are people."""
    named = set(stems(sentence))
    return bool(named & (_PEOPLE if noun in _PEOPLE else {noun})) and (
        _HOLDS["count"].search(sentence) is not None
    )
