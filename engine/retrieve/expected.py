"""What kind of answer a question expects, and whether a text holds one: rules only."""

from dataclasses import dataclass
from functools import lru_cache

import re2

KEPT = 16_384  # sentences of which it is known whether they hold a kind of answer

NUMBER = (
    r"(?:\b\d[\d,.]*\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|half|"
    r"twice|once|several|few)\b)"
)
UNIT_OF_TIME = (
    r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|hrs?|mins?|"
    r"milliseconds?|ms|decades?)"
)
# A number and, at most three words on, a unit of time.
TIME = NUMBER + r"(?:[- \x{2013}]\w+){0,3}?[- ]" + UNIT_OF_TIME + r"\b"


@dataclass(frozen=True, slots=True)
class Expected:
    """One kind of answer: when a question asks for it, and how a text shows it.

    `nouns` ask for it where "what is the …?" ends with one ("study permit fee").
    """

    name: str
    asks: str
    shows: str
    nouns: tuple[str, ...] = ()


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
        TIME + r"|"
        r"\b(?:an?|each|every|per|many|few) " + UNIT_OF_TIME + r"\b|"
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
        r"[$€£¥]\s?\d|\b\d[\d,.]* ?(?:dollars|euros|usd|pounds)\b|"
        r"\b(?:costs?|prices?|fees?|charges?|pays?)\b(?: \w+){0,4} \d+[.,]\d\d\b|"
        r"\b\d+[.,]\d\d (?:cost|price|fee|charge)s?\b|\bfree of charge\b",
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
        NUMBER + r"|\bsingle\b|\bboth\b|\bno limit\b|\bonly one\b|\bunlimited\b",
    ),
    Expected(
        "amount",
        r"\bhow (?:much|big|large|fast|high|heavy|far|deep|tall|wide|strong|hot|"
        r"cold)\b|"
        r"\b(?:max(?:imum)?|min(?:imum)?)\b|\bat (?:least|most)\b",
        r"\d|" + NUMBER + r"|\bmore\b|\bless\b|\bamount\b",
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
        r"administrators?|members?|organi[sz]ations?|company|citizens?|residents?|"
        r"foreign nationals?|applicants?|holders?|officers?|parents?|spouses?|"
        r"employers?|students?|judges?|ministers?)\b",
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


@lru_cache(maxsize=KEPT)
def shows(kind: str, text: str) -> bool:
    """Whether `text` holds an answer of that kind; kept for the next question."""
    return _SHOWS[kind].search(text) is not None


# --- pointers ---------------------------------------------------------------------

_POINTER = re2.compile(
    r"(?i)\b(?:(?:learn|read|find out|see) more\b|more information (?:about|on)\b|"
    r"for (?:more|further|additional|detailed) (?:information|details|help)|"
    r"information (?:on|about) \w+ -|summary of (?:important |the )?information|"
    r"collection of links|links? to (?:more|other|further)|see (?:the|our|this|also)\b|"
    r"(?:is|are) (?:described|explained|covered|listed|documented) (?:in|on|at|here|"
    r"elsewhere)|this (?:page|section|tutorial|guide|document|summary) (?:contains|"
    r"describes|covers|explains|provides|shows|lists|will|is about|gives)|"
    r"refer to (?:the|our|this)|visit (?:the|our)\b|check out (?:the|our|this)|"
    r"take a look at)"
)


def points(text: str) -> bool:
    """Whether a text says where something stands instead of saying it."""
    return _POINTER.search(text) is not None
