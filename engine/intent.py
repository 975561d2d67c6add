"""Question to Intent, by rules: no model is asked before the gate (R-A11)."""

from datetime import date

from engine import dates, follow_up
from engine.language import detect
from engine.patterns import encodable, fold, matches, remove
from engine.policy import IntentRule, Pack
from engine.ports import CorpusStatistics
from engine.records import Intent, Question
from engine.vocabulary import Translated, translate

LONGEST = 4_000  # characters of a question that are searched for
SCANNED = 200_000  # characters that patterns are matched on

_PERSONAL = (r"\b(?:i|i'm|i've|i'd|i'll|my|mine|me|myself|we|we're|us|our)\b",)
_NOT_PERSONAL = (r"\b(?:tell|show|give|let|remind|help) (?:me|us)\b",)
# R-M3: put on record, and never a reason to ask for less evidence.
_GENERAL = (r"\b(?:generally(?: speaking)?|in general|as a rule|on the whole)\b",)


def read(
    question: Question, pack: Pack, statistics: CorpusStatistics, today: date
) -> Intent:
    """Read a question.

    Emergencies, scope and language are read from what the person wrote; query type and
    text for the search from what it means after the question before it, the glossary
    and spelling. `named` stays empty: which word is rare is the search's to know.
    Patterns see the whole text (R-M6), of one beyond SCANNED its first and last half as
    much; only what goes to the search is cut at LONGEST.

    Args:
        question: what was asked.
        pack: the tables.
        statistics: what words the asker's visible corpus knows.
        today: the day in the pack's time zone (`dates.today_in`).
    """
    asked = encodable(question.text[:LONGEST])
    written = _written(question)
    resolved = follow_up.resolve(asked, question.previous)
    language = detect(resolved or asked)
    meant = _translated(resolved or " ".join(asked.split()), language, pack, statistics)
    folded = fold(meant.text)
    rule = _rule(folded, pack)
    day = dates.read(
        asked, today, question.as_of, applications=pack.analysis_date_header
    )
    return Intent(
        query_type=rule.query_type,
        name=rule.name,
        text=meant.text,
        sensitive=rule.sensitive,
        time_sensitive=rule.time_sensitive,
        urgent=matches(pack.wording.emergency_patterns, written),
        personal=matches(_PERSONAL, remove(_NOT_PERSONAL, written)),
        general=matches(_GENERAL, written),
        follow_up=resolved is not None,
        language=language,
        in_scope=not matches(pack.out_of_scope_patterns, written),
        basis=day.basis,
        as_of=day.day,
        missing_facts=_missing(rule, folded),
        needs_binding=rule.needs_binding,
        corrections=meant.changes,
    )


def blank(pack: Pack) -> Intent:
    """The intent of a question that nobody has looked at: sensitive, as any may be."""
    rule = pack.intents[-1]
    return Intent(query_type=rule.query_type, name=rule.name, text="", sensitive=True)


def unread(question: Question, pack: Pack, today: date | None) -> Intent:
    """The intent of a question that could not be read: sensitive, maybe urgent."""
    urgent = matches(pack.wording.emergency_patterns, _written(question))
    text = encodable(question.text[:LONGEST])
    return blank(pack).model_copy(
        update={"text": text, "urgent": urgent, "as_of": today}
    )


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
