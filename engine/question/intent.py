"""Question to Intent, by rules: no model is asked before the gate (R-A11)."""

from dataclasses import dataclass
from datetime import date

from engine.lexicon import STOPWORDS, stem, stemmed, words
from engine.patterns import encodable, fold, legible, matches, remove
from engine.policy import Domain, Emergency, IntentRule, Pack
from engine.ports import CorpusStatistics
from engine.question import dates, follow_up
from engine.question.language import detect
from engine.question.parts import divide, split
from engine.question.vocabulary import Translated, forms, translate
from engine.records import Basis, Intent, Question
from engine.retrieve.view import QUESTION_WORDS, RARE, weight_of

LONGEST = 4_000  # characters of a question that are searched for
SCANNED = 200_000  # characters that patterns are matched on

_PERSONAL = (r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|myself|we|we're|us|our)\b",)
_NOT_PERSONAL = (r"\b(?:tell|show|give|let|remind|help) (?:me|us)\b",)
# R-M3: put on record, and never a reason to ask for less evidence.
_GENERAL = (r"\b(?:generally(?: speaking)?|in general|as a rule|on the whole)\b",)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked, and on which day: no word of `text` says the analysis date.

    `things` are the content words of what a follow-up adds.
    """

    text: str
    things: tuple[str, ...]
    day: dates.AnalysisDate
    follow_up: bool


def read(
    question: Question, pack: Pack, statistics: CorpusStatistics, today: date
) -> Intent:
    """Read a question.

    Emergencies and scope are read from what the person wrote; query type and text for
    the search from what it means after the question before it, without the words that
    say the analysis date (R-F5), with glossary and spelling. A follow-up without a date
    keeps that of the question before. `named` holds the things that a follow-up adds.
    What is read is legible text (R-V8); the stored question stays as it was typed.
    Patterns see the whole text (R-M6), of one beyond SCANNED its first and last half as
    much; only what goes to the search is cut at LONGEST.

    Args:
        question: what was asked.
        pack: the tables.
        statistics: what words the asker's visible corpus knows.
        today: the day in the pack's time zone (`dates.today_in`).
    """
    written = _written(question)
    asked = _asked(question, pack, today)
    language = detect(asked.text)
    meant = _translated(asked.text, language, pack, statistics)
    things = _translated(" ".join(asked.things), language, pack, statistics)
    folded = fold(meant.text)
    rule = _rule(folded, pack)
    return Intent(
        query_type=rule.query_type,
        name=rule.name,
        text=meant.text,
        sensitive=rule.sensitive,
        time_sensitive=rule.time_sensitive,
        urgent=is_plain(question, pack),
        personal=matches(_PERSONAL, remove(_NOT_PERSONAL, written)),
        general=matches(_GENERAL, written),
        follow_up=asked.follow_up,
        language=language,
        in_scope=not matches(pack.out_of_scope_patterns, written)
        or _of_selection(question, meant.text, pack),
        basis=asked.day.basis,
        as_of=asked.day.day,
        named=tuple(things.text.split()),
        missing_facts=_missing(rule, folded),
        needs_binding=rule.needs_binding,
        corrections=meant.changes,
    )


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A part of a question as it was asked, and what it means when it stands alone."""

    asked: str
    intent: Intent


def parts(
    intent: Intent, pack: Pack, statistics: CorpusStatistics
) -> tuple[AskedPart, ...]:
    """The parts of a question, each with its own query type; none where it is one.

    Each is as sensitive as the whole, and bound to what the whole is about. A follow-up
    that stands with the question before it is not divided: that one was answered.
    """
    if intent.follow_up and len(split(intent.text)) > 1 and intent.text.count("? "):
        return ()

    def is_named(text: str) -> bool:
        return any(_is_rare(word, statistics) for word in words(text))

    found = []
    for part in divide(intent.text, is_named):
        rule = _rule(fold(part.meant), pack)
        own = [word for word in words(part.named) if word not in STOPWORDS]
        changed = {
            "text": part.meant,
            "query_type": rule.query_type,
            "name": rule.name,
            "sensitive": intent.sensitive or rule.sensitive,
            "time_sensitive": rule.time_sensitive,
            "named": (*intent.named, *own),
        }
        found.append(AskedPart(part.asked, intent.model_copy(update=changed)))
    return tuple(found)


def _is_rare(word: str, statistics: CorpusStatistics) -> bool:
    """Whether so few passages hold a word that it tells what a question is about."""
    if word in STOPWORDS or word in QUESTION_WORDS:
        return False
    frequency = statistics.chunk_frequency.get(stem(word), 0)
    return weight_of(frequency, statistics.chunks) >= RARE


def _asked(question: Question, pack: Pack, today: date) -> _Asked:
    """What is asked once dates and the question before are read."""
    applications = pack.analysis_date_header
    text = legible(question.text[:LONGEST])
    previous = legible((question.previous or "")[:LONGEST])
    day = dates.read(text, today, question.as_of, applications=applications)
    before = dates.read(previous, today, applications=applications)
    resolved = follow_up.resolve(day.rest, before.rest, dated=day.rest != text)
    if resolved is None:
        alone = " ".join((day.rest or text).split())
        return _Asked(text=alone, things=(), day=day, follow_up=False)
    day = before if day.basis is Basis.TODAY else day
    return _Asked(resolved.text, resolved.things, day, follow_up=True)


def blank(pack: Pack) -> Intent:
    """The intent of a question that nobody has looked at: sensitive, as any may be."""
    rule = pack.intents[-1]
    return Intent(query_type=rule.query_type, name=rule.name, text="", sensitive=True)


def unread(question: Question, pack: Pack, today: date | None) -> Intent:
    """The intent of a question that could not be read: sensitive, maybe urgent."""
    urgent = emergency(question, pack) is not None
    text = encodable(question.text[:LONGEST])
    return blank(pack).model_copy(
        update={"text": text, "urgent": urgent, "as_of": today}
    )


def emergency(question: Question, pack: Pack, *, urgent: bool = False) -> str | None:
    """The notice of the first emergency that a question sounds like, or None (R-M6).

    One that is `urgent` although no pattern names its kind gets the pack's general one.
    """
    kind = kind_of(question, pack)
    if kind is not None:
        return kind.text
    distress = pack.wording.distress
    return distress.notice if urgent and distress is not None else None


def kind_of(question: Question, pack: Pack) -> Emergency | None:
    """The first kind of emergency whose patterns match a question, else its hints."""
    written = _written(question)
    kinds = pack.wording.emergencies
    for known in kinds:
        if matches(known.patterns, written):
            return known
    return next((known for known in kinds if matches(known.hints, written)), None)


def is_plain(question: Question, pack: Pack) -> bool:
    """Whether the patterns alone say that a question is an emergency (R-M6)."""
    written = _written(question)
    return any(matches(kind.patterns, written) for kind in pack.wording.emergencies)


def _of_selection(question: Question, meant: str, pack: Pack) -> bool:
    """Whether it asks, word for word, about a text that its asker may bring along.

    Scope says what the documents do not answer; of a selection outside medical packs
    (R-A6) a question may ask all that the selection itself speaks of. Whether the
    selection answers it is left to the gate.
    """
    if question.selection is None or pack.domain is Domain.MEDICAL:
        return False
    said = stemmed(question.selection[:SCANNED])
    asked = [word for word in words(meant) if word not in STOPWORDS]
    things = [forms(word, pack.retrieval) for word in asked]
    return bool(things) and all(any(f in said for f in thing) for thing in things)


def _written(question: Question) -> str:
    """The question as patterns see it; of one beyond SCANNED both ends."""
    text = question.text
    if len(text) > SCANNED:
        text = f"{text[: SCANNED // 2]}\n{text[-SCANNED // 2 :]}"
    return fold(text)


def _translated(
    text: str, language: str, pack: Pack, statistics: CorpusStatistics
) -> Translated:
    """Glossary and spelling know the pack's languages only."""
    if language not in pack.languages:
        return Translated(text, ())
    return translate(text, pack.retrieval, statistics)


def _rule(folded: str, pack: Pack) -> IntentRule:
    """The first rule with a match; the last one takes the rest."""
    return next(
        (rule for rule in pack.intents if matches(rule.patterns, folded)),
        pack.intents[-1],
    )


def _missing(rule: IntentRule, folded: str) -> tuple[str, ...]:
    """The facts that the asker has not given, by name (R-F7)."""
    return tuple(
        fact for fact, given in rule.facts.items() if not matches(given, folded)
    )
