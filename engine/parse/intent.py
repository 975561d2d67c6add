"""Read a question to an `Intent`, by rules: no model is asked before the gate."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from engine.model.ports import CorpusStatistics
from engine.model.question import Basis, Intent, Question
from engine.parse import dates, follow_up
from engine.parse.conditions import Lexicon, conditions_of
from engine.parse.context import parts as context_parts
from engine.parse.framing import unframe
from engine.parse.language import detect
from engine.parse.parts import divide, divide_compared, side_by_side, split
from engine.parse.shape import Page, detect_undone, read_page, resolve_page
from engine.parse.vocabulary import Translated, spelt_out
from engine.policy.names import find_names, kept_whole, plain_names
from engine.policy.pack import Domain, Emergency, IntentRule, Pack
from engine.policy.records import forms
from engine.text.english import find, form
from engine.text.english import whole as all_of
from engine.text.english import words as listed
from engine.text.legible import legible
from engine.text.patterns import (
    encodable,
    find_all,
    fold,
    matches,
    put_below,
    remove,
)
from engine.text.talk import QUESTION, TALK, Talk
from engine.text.words import STOPWORDS, stemmed, words

LONGEST = 4_000  # characters of a question that are searched for
SCANNED = 200_000  # characters that patterns are matched on
# Facts to ask for: a day that is none or one of two, in packs that answer for a day.
UNREAD = "the day that you mean, written like 1 March 2024"
BRIEF = 4  # words of an answer that is put behind the question as it is
UNSAID = "what it is about"  # a fact to ask for where "it" stands for nothing
PAGE = "which page you mean"


@dataclass(frozen=True, slots=True)
class _Asked:
    """The question that is asked, and its day: `text` holds no word of the date.

    `things` are content words that the answer has to be about although `text` lacks
    them: the thing that a follow-up adds, the person or medicine of a story. `rule` is
    that of the question before, where the bot asked back and this is the answer;
    `missing` are the facts that are still to be asked for.
    """

    text: str
    day: dates.AnalysisDate
    things: tuple[str, ...] = ()
    follow_up: bool = False
    rule: IntentRule | None = None
    missing: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    framing: tuple[str, ...] = ()
    page: Page | None = None


def read(
    question: Question,
    pack: Pack,
    statistics: CorpusStatistics,
    today: date,
    *,
    story: bool = False,
) -> Intent:
    """Read a question.

    Emergencies and scope are read from what the person wrote. The text for the search
    says what it means: without framing and the words of the analysis date, joined to
    the question before it, with glossary and spelling. It is as sensitive as the whole
    message, and a follow-up without a date keeps that of the question before. Patterns
    see the whole text, of one beyond SCANNED both ends; the search gets LONGEST of it.

    Args:
        question: what was asked.
        pack: the tables.
        statistics: what words the asker's visible corpus knows.
        today: the day in the pack's time zone (`dates.today_in`).
        story: search for the story around the question, too.
    """
    written, lexicon = _fold_question(question), Lexicon(pack, statistics)
    language = detect(legible(question.text[:LONGEST]), lexicon.knows)
    served = language in pack.languages
    asked = _extract_asked(question, lexicon, today, served=served, story=story)
    meant = lexicon.translated(asked.text) if served else Translated(asked.text, ())
    things = " ".join(asked.things)
    if served:
        things = lexicon.translated(things, beside=False).text
    folded = fold(meant.text)
    rule, whole = asked.rule or _find_rule(folded, pack), _find_rule(written, pack)
    told = f"{folded} {written}"
    missing = asked.missing if asked.rule else _find_missing(rule, told)
    return Intent(
        query_type=rule.query_type,
        name=rule.name,
        text=meant.text,
        sensitive=rule.sensitive or whole.sensitive,
        time_sensitive=_is_current(folded, pack),
        urgent=find_emergency(question, pack) is not None,
        personal=bool(find("personal", remove((form("not_personal"),), written))),
        # Put on record, and never a reason to ask for less evidence.
        general=find("general", written) is not None,
        follow_up=asked.follow_up,
        negated=not listed("no", "negation").isdisjoint(words(meant.text)),
        language=language,
        in_scope=_lies_inside(question, meant.text, pack, written),
        named=tuple(things.split()),
        conditions=asked.conditions,
        framing=asked.framing,
        missing_facts=(*missing, *_find_unsaid(question, asked, pack, served=served)),
        needs_binding=rule.needs_binding,
        corrections=meant.changes,
        things=_find_things(folded, pack),
        page=asked.page.kind if asked.page else "",
        this=asked.page is not None and not asked.page.name,
    ).model_copy(update=_describe_day(asked.day, question, today))


def _describe_day(
    day: dates.AnalysisDate, question: Question, today: date
) -> Mapping[str, object]:
    """Return the fields of an intent on the day that is asked about."""
    return {
        "basis": day.basis,
        "as_of": day.day,
        "whole_year": day.year and question.as_of is None,
        "to_come": day.day > today,
        "other_date": day.other,
        "day_phrase": day.phrase,
    }


def list_readings(
    question: Question,
    read_as: Intent,
    pack: Pack,
    statistics: CorpusStatistics,
    calm: str = "",
) -> Iterator[Intent]:
    """Yield the other ways to read a question: with its story, with what went before.

    Talk has none: "thanks, that helped" asks nothing. `calm` is the question without
    what the asker feels, and goes first.
    """
    if read_as.kind in TALK:
        return
    chosen = question.selection is not None or question.evidence is not None
    if calm and not chosen and read_as.as_of is not None:
        said = question.model_copy(update={"text": calm})
        yield _keep_findings(read(said, pack, statistics, read_as.as_of), read_as)
    told = read_with_story(question, read_as, pack, statistics)
    if told is not None:
        yield told
    yield from _read_with_previous(question, read_as, pack, statistics)


def list_rivals(
    question: Question, read_as: Intent, pack: Pack, statistics: CorpusStatistics
) -> Iterator[Intent]:
    """Yield readings of a named thing as likely as the first: the documents tell.

    "And actions?" after "what is a service?" asks what an action is, or what actions
    have to do with it.
    """
    chosen = question.selection or question.evidence or question.chosen_from
    last = next(iter(context_parts(question.previous)), "")
    if chosen or not last or read_as.as_of is None or not read_as.in_scope:
        return
    if not read_as.follow_up and find("asks_anywhere", question.text):
        return
    single = question.model_copy(update={"previous": None})
    for other in follow_up.exchanges(question.text, last):
        said = single.model_copy(update={"text": other.text})
        told = read(said, pack, statistics, read_as.as_of)
        if told.text != read_as.text and not told.missing_facts:
            added = {"follow_up": True, "named": other.things}
            yield _keep_findings(told.model_copy(update=added), read_as)


def read_about(
    question: Question, read_as: Intent, pack: Pack, statistics: CorpusStatistics
) -> Intent | None:
    """Read a question below the title of the document that answered the one before.

    "Can men take it?" after an answer from "Tamoxifen" is "Tamoxifen: Can men take
    it?". No rule says what "it" is: a passage is found by its title, and the reader
    takes the title for what the question is about. The question stays as strict, of
    the same kind and for the same day as it was first read.

    None without such a document, for talk, an emergency, a comparison and what is out
    of scope, and where the asker chose the evidence.
    """
    chosen = question.selection or question.evidence or question.chosen_from
    other = read_as.kind in TALK or read_as.urgent or not read_as.in_scope
    if chosen or other or not question.about or read_as.as_of is None:
        return None
    if divide_compared(read_as.text):
        return None
    single = question.model_copy(update={"previous": None})
    alone = read(single, pack, statistics, read_as.as_of)
    text = put_below(question.about, alone.text)
    kept = ["basis", "as_of", "whole_year", "other_date", "day_phrase", "named"]
    if read_as.follow_up:
        kept += ["query_type", "name"]
    strict = ("sensitive", "time_sensitive", "needs_binding")
    changed = {
        **{name: getattr(read_as, name) for name in kept},
        **{name: getattr(alone, name) or getattr(read_as, name) for name in strict},
        "text": text,
        "follow_up": True,
        "things": _find_things(fold(text), pack),
    }
    return _keep_findings(alone.model_copy(update=changed), read_as)


def read_with_story(
    question: Question, read_as: Intent, pack: Pack, statistics: CorpusStatistics
) -> Intent | None:
    """Read a question with the story around it; None where it has none to search for.

    None, too, where the asker chose the evidence, and for a follow-up, which depends on
    the question before it.
    """
    chosen = question.selection is not None or question.evidence is not None
    if chosen or read_as.follow_up or read_as.as_of is None:
        return None
    told = read(question, pack, statistics, read_as.as_of, story=True)
    if told.text == read_as.text or told.missing_facts != read_as.missing_facts:
        return None
    kept = ("urgent", "kind", "felt", "to_come")
    return told.model_copy(update={name: getattr(read_as, name) for name in kept})


def _read_with_previous(
    question: Question, read_as: Intent, pack: Pack, statistics: CorpusStatistics
) -> Iterator[Intent]:
    """Yield the other ways to read a question that has one before it.

    They are the question by itself, where rules took it for a follow-up, and the
    question together with what went before.
    """
    chosen = question.selection or question.evidence or question.chosen_from
    if chosen or not question.previous or read_as.as_of is None:
        return
    single = question.model_copy(update={"previous": None})
    alone = read(single, pack, statistics, read_as.as_of)
    if read_as.follow_up and find("asks_first", alone.text):
        yield _keep_findings(alone, read_as)
    earlier = context_parts(question.previous)
    for before in earlier:
        clear = follow_up.put_in(alone.text, before)
        if clear is not None and clear != read_as.text:
            said = single.model_copy(update={"text": clear})
            told = read(said, pack, statistics, read_as.as_of)
            yield _keep_findings(told.model_copy(update={"follow_up": True}), read_as)
    first = (part.partition("? ")[0] for part in earlier)  # of several that were joined
    for before in dict.fromkeys((*earlier, *first)):
        joined = follow_up.together(alone.text, before)
        if joined is None or joined.text == read_as.text:
            continue
        both = single.model_copy(update={"text": joined.text})
        told = read(both, pack, statistics, read_as.as_of)
        added = {"follow_up": True, "named": tuple(joined.added.split())}
        yield _keep_findings(told.model_copy(update=added), read_as)


def carry_findings(read_as: Intent, before: Intent, question: Question) -> Intent:
    """Give a reading the urgency, kind and feeling of the message.

    A follow-up of another question is never talk: "And today?" is no greeting.
    """
    kept = {name: getattr(before, name) for name in ("urgent", "kind", "felt")}
    goes_on = find("about", question.text) or find("and_also", question.text)
    if goes_on and read_as.follow_up and before.kind in TALK:
        kept["kind"] = QUESTION
    return read_as.model_copy(update=kept)


def detect_order(read_as: Intent, question: Question, pack: Pack) -> Intent:
    """Give a reading the kind of the order that the question is, where it is one.

    Only orders for what the bot never does count. An emergency, a feeling and words for
    which the pack has a text stay what they are, and so does a question about a text
    that the asker brings.
    """
    plain = read_as.kind in ("", QUESTION) or read_as.kind in TALK
    heard = not plain or read_as.urgent or read_as.felt
    if heard or not asks_for_facts(question, read_as, pack):
        return read_as
    ordered = detect_undone(question.text)
    return read_as.model_copy(update={"kind": ordered}) if ordered else read_as


def _keep_findings(told: Intent, read_as: Intent) -> Intent:
    """Give another reading of the same message what the first found out about it."""
    kept = ("urgent", "kind", "felt", "to_come", "in_scope", "language")
    return told.model_copy(update={name: getattr(read_as, name) for name in kept})


@dataclass(frozen=True, slots=True)
class AskedPart:
    """A part of a question as it was asked, and what it means by itself.

    A `side` is one of two things that the question compares; where it asks for a
    difference, `both` have to be there.
    """

    asked: str
    intent: Intent
    side: bool = False
    both: bool = False


def split_parts(
    intent: Intent, pack: Pack, statistics: CorpusStatistics
) -> tuple[AskedPart, ...]:
    """Divide a question into its parts, each with its own query type; () where it is
    one.

    Each part is as sensitive as the whole, and about what the whole is about. A
    follow-up that is joined with the question before it is not divided: that one was
    answered.
    """
    if intent.follow_up and len(split(intent.text)) > 1 and intent.text.count("? "):
        return ()

    divided = []
    together = side_by_side(intent.text, pack.answer.compared)
    compared = () if together else divide_compared(intent.text)
    both = bool(compared) and find("differing", intent.text) is not None
    names_something = Lexicon(pack, statistics).names_something
    for part in together or compared or divide(intent.text, names_something):
        rule = _find_rule(fold(part.meant), pack)
        own = [word for word in words(part.named) if word not in STOPWORDS]
        changed = {
            "text": part.meant,
            "query_type": rule.query_type,
            "name": rule.name,
            "sensitive": intent.sensitive or rule.sensitive,
            "time_sensitive": _is_current(fold(part.meant), pack),
            "needs_binding": intent.needs_binding or rule.needs_binding,
            "named": (*intent.named, *own),
            "things": _find_things(fold(part.meant), pack),
        }
        told = intent.model_copy(update=changed)
        divided.append(AskedPart(part.asked, told, bool(compared), both))
    return tuple(divided)


def _extract_asked(
    question: Question, lexicon: Lexicon, today: date, *, served: bool, story: bool
) -> _Asked:
    """Find what is asked, without framing and dates, after the question before."""
    things = lexicon.pack.things
    text = kept_whole(plain_names(legible(question.text[:LONGEST])), things)
    last = (
        "" if question.chosen_from else next(iter(context_parts(question.previous)), "")
    )
    before_it = plain_names(legible(last[:LONGEST]))
    previous = kept_whole(before_it, things)
    if not served:  # the rules know no words of another language
        return _Asked(" ".join(text.split()), dates.read(text, today, question.as_of))
    reading = dates.Reading(
        applications=lexicon.pack.analysis_date_header,
        years=lexicon.pack.wording.whole_year is not None,
    )
    day = dates.read(spelt_out(text), today, question.as_of, reading)
    before = dates.read(spelt_out(previous), today, reading=reading)
    framed = unframe(day.rest)
    told = conditions_of(framed, lexicon, story=story)
    alone = " ".join((told.text or text).split())
    resolved = None
    if not told.bound:
        known = conditions_of(unframe(before.rest), lexicon).text
        if before.unread:  # the day that was asked back for
            known = " ".join(
                remove((form("unread_then"), form("stretch")), known).split()
            )
        dated = day.basis is not Basis.TODAY and question.as_of is None
        resolved = follow_up.resolve(alone if day.rest else "", known, dated=dated)
        resolved = resolved or _ask_of_same_thing(alone, known, lexicon.pack)
    asked = _Asked(
        alone, day, told.named, conditions=told.conditions, framing=framed.framing
    )
    chosen = question.selection is not None or question.evidence is not None
    page = None if chosen else resolve_page(alone, last)
    if page is not None:
        return replace(
            asked,
            text=page.name or _name_previous(before_it) or alone,
            follow_up=not page.name,
            page=page,
        )
    back = _complete_previous(text, previous, before, lexicon.pack)
    if back is not None:
        return replace(back, conditions=told.conditions)
    if resolved is None:
        return asked
    if day.basis is Basis.TODAY and not all_of("of_today", fold(alone).rstrip("?!. ")):
        day = before
    return replace(
        asked,
        text=resolved.text,
        things=resolved.things,
        day=day,
        follow_up=True,
    )


def _name_previous(before: str) -> str:
    """Return the question before, or the page where the bot asked back which is
    meant."""
    page = read_page(before)
    return before if page is None else page.name


def _ask_of_same_thing(
    asked: str, before: str, pack: Pack
) -> follow_up.Resolved | None:
    """Return a question with the one thing that the question before names, or None.

    "What dose did they give?" after "Who can join NCT01565083?" asks about that trial:
    the record of another one answers nothing, though it may come nearer.
    """
    apart = [rule for rule in pack.things if rule.apart]
    named = {one.name for rule in apart for one in find_names(before, rule)}
    own = any(True for rule in apart for _ in find_names(asked, rule))
    if len(named) != 1 or own or find("of_a_thing", fold(asked)) is None:
        return None
    return follow_up.Resolved(f"{asked.rstrip('?!. ')} ({named.pop()})?")


def _complete_previous(
    text: str, previous: str, before: dates.AnalysisDate, pack: Pack
) -> _Asked | None:
    """Complete the question before with the facts that the bot asked back for, or None.

    Where only some of them are told, the others are asked for again.
    """
    asked = fold(before.rest).strip().rstrip("?!. ")
    said = fold(text).strip().rstrip("?!. ")
    if (
        not asked
        or not said
        or find("asks_first", said)
        or _is_other_question(said, pack)
    ):
        return None
    if all_of("unsaid", asked):
        return _Asked(f"{asked}? {said}?", before, follow_up=True)
    rule, first = _find_rule(asked, pack), asked.partition("? ")[0]
    facts = _find_missing(rule, f"{asked} {fold(previous)}")
    if not facts and first != asked:  # it holds an answer to what was asked back before
        rule = _find_rule(first, pack)
        facts = _find_missing(rule, f"{asked} {fold(previous)}")
    if not facts:
        return None
    left = _find_missing(rule, f"{asked} {said}")
    if left == facts:
        if not follow_up.answers(said, facts):
            return None
        left = facts[1:]
    joined = f"{asked} {said}"
    if len(said.split()) > BRIEF or (left and _find_rule(joined, pack) is not rule):
        joined = f"{asked}? {said}."
    if not left and not _find_missing(_find_rule(joined, pack), joined):
        return _Asked(joined, before, follow_up=True)  # as if it had been asked so
    return _Asked(joined, before, follow_up=True, rule=rule, missing=left)


def _is_other_question(said: str, pack: Pack) -> bool:
    """Tell whether a text is a question of another kind, and so answers none."""
    asking = said.endswith("?") or find("asks_anywhere", said) is not None
    return asking and _find_rule(said, pack) is not pack.intents[-1]


def asks_for_facts(question: Question, intent: Intent, pack: Pack) -> bool:
    """Tell whether facts are asked for before anything is searched.

    A question that is closed anyway is closed, and one with a passage of the asker's is
    about the passage.
    """
    served = intent.in_scope and intent.language in pack.languages
    return served and question.selection is None and question.evidence is None


def says_nothing(question: Question, intent: Intent) -> bool:
    """Tell whether a number or a letter is all of a message and could mean nothing."""
    leans = intent.follow_up or question.selection or question.evidence
    return intent.kind == Talk.BARE and not leans and question.as_of is None


def make_blank(pack: Pack) -> Intent:
    """Return the intent of a question that was not read yet: sensitive, as any may
    be."""
    rule = pack.intents[-1]
    return Intent(query_type=rule.query_type, name=rule.name, text="", sensitive=True)


def make_unread(question: Question, pack: Pack, today: date | None) -> Intent:
    """Return the intent of a question that could not be read: sensitive, maybe
    urgent."""
    known = find_emergency(question, pack)
    text = encodable(question.text[:LONGEST])
    return make_blank(pack).model_copy(
        update={
            "text": text,
            "urgent": known is not None,
            "kind": known.kind if known else "",
            "as_of": today,
        }
    )


def find_emergency(question: Question, pack: Pack) -> Emergency | None:
    """Find the first kind of emergency whose patterns match a question."""
    written = _fold_question(question)
    kinds = pack.wording.emergencies
    return next((kind for kind in kinds if matches(kind.patterns, written)), None)


def _find_unsaid(
    question: Question, asked: _Asked, pack: Pack, *, served: bool
) -> Iterator[str]:
    """Yield what is asked for before anything is searched.

    It is the day that is meant, where a date does not say it, the thing, where all of a
    question is "is that the chemo?", and the page.
    """
    if asked.day.unread and pack.analysis_date_header:
        yield UNREAD
    chosen = question.selection is not None or question.evidence is not None
    plain = fold(asked.text).strip().rstrip("?!. ")
    alone = served and not chosen and not asked.follow_up
    if alone and all_of("unsaid", plain):
        yield UNSAID
    this = asked.page is not None and not asked.page.name
    if served and this and not _name_previous(question.previous or ""):
        yield PAGE


def _lies_inside(question: Question, meant: str, pack: Pack, written: str) -> bool:
    out = matches(pack.out_of_scope_patterns, written)
    return not out or _is_about_selection(question, meant, pack)


def _is_about_selection(question: Question, meant: str, pack: Pack) -> bool:
    """Tell whether a question is, word for word, about a text that its asker brought.

    Scope names questions that the documents do not answer. Outside medical packs a
    question about a selection may ask all that the selection itself speaks of; the gate
    decides whether the selection answers it.
    """
    if question.selection is None or pack.domain is Domain.MEDICAL:
        return False
    said = stemmed(question.selection[:SCANNED])
    asked = [word for word in words(meant) if word not in STOPWORDS]
    things = [forms(word, pack.retrieval) for word in asked]
    return bool(things) and all(any(f in said for f in thing) for thing in things)


def _fold_question(question: Question) -> str:
    """Fold a question for patterns; of one beyond SCANNED both ends."""
    text = question.text
    if len(text) > SCANNED:
        text = f"{text[: SCANNED // 2]}\n{text[-SCANNED // 2 :]}"
    return fold(text)


def _find_rule(folded: str, pack: Pack) -> IntentRule:
    """Find the first rule with a match; the last one takes the rest."""
    return next(
        (rule for rule in pack.intents if matches(rule.patterns, folded)),
        pack.intents[-1],
    )


def _is_current(folded: str, pack: Pack) -> bool:
    """Tell whether a question is about the current state of something.

    A rule that says so counts wherever it matches: "the latest recommended treatment of
    nausea" is of the rule for side effects, and needs recent sources all the same.
    """
    own = _find_rule(folded, pack)
    current = (rule for rule in pack.intents if rule.time_sensitive)
    return own.time_sensitive or any(matches(r.patterns, folded) for r in current)


def _find_things(folded: str, pack: Pack) -> dict[str, tuple[str, ...]]:
    """Find the things that the question names by a name or number, by kind."""
    named = {
        kind: find_all(patterns, folded)
        for kind, patterns in pack.retrieval.things.items()
    }
    return {kind: names for kind, names in named.items() if names}


def _find_missing(rule: IntentRule, folded: str) -> tuple[str, ...]:
    """List the facts that the asker has not given, by name."""
    return tuple(
        fact for fact, given in rule.facts.items() if not matches(given, folded)
    )
