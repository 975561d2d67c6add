"""The safe fallback: a refusal in the pack's fixed words, never from a model.

Nothing of the question, of a chunk or of a draft gets into it: it is composed of texts
that loading the pack has checked for sensitive words.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.model import reasons
from engine.model.codes import FEELINGS, Reason
from engine.model.evidence import Page
from engine.model.outcome import Refusal
from engine.model.question import Intent
from engine.policy.pack import Pack, Wording
from engine.text.talk import TALK, Talk
from engine.text.words import STOPWORDS, stem, words

# Said where the outcome could not be written down, in every pack.
AUDIT_FAILED_TEXT = (
    "I could not store a record of this reply, so I cannot give one. Nothing is wrong "
    "with your question: please ask again later, or tell whoever runs this assistant."
)
# Said where a person stopped it, in every pack.
STOPPED_TEXT = "I stopped looking, as I was asked to."
# Said where a selected text does not answer, in every pack.
SELECTION_TEXT = (
    "The text that you selected does not answer this question. Ask it again without "
    "the selection, and I will look in the documents."
)
# Said where what was chosen cannot be shown any more, in every pack.
CHOICE_TEXT = (
    "What you chose cannot be shown: the documents have changed since it was offered, "
    "or you may not see it. Please ask in your own words."
)
# Nobody knows in these cases whether the documents hold an answer.
_TECHNICAL = frozenset(
    {Reason.BUDGET_EXCEEDED, Reason.BUSY, Reason.PROVIDER_FAILED, Reason.INTERNAL}
)
# Why nothing is quoted where a fixed text answers, in every pack.
SPOKEN_TEXT = "I answered in words of my own, which quote nothing."
# What the documents hold is no matter here, so nor is what came close in them.
_ASIDE = frozenset({Reason.OUT_OF_SCOPE, Reason.INSUFFICIENT_FACTS})
MOST_TOPICS = 3  # named in a refusal

# The whole text, whatever the pack and the question are.
_OWN: Mapping[Reason, str] = MappingProxyType(
    {Reason.AUDIT_FAILED: AUDIT_FAILED_TEXT, Reason.STOPPED: STOPPED_TEXT}
)
_NO_NUMBERS: Mapping[str, float] = MappingProxyType({})


def refuse(
    reason: Reason,
    pack: Pack,
    intent: Intent | None = None,
    explanation: str = "",
    numbers: Mapping[str, float] = _NO_NUMBERS,
) -> Refusal:
    """Make a refusal with its fallback; `explanation` replaces the pack's words."""
    told = {Reason.FIXED_TEXT: SPOKEN_TEXT, **_OWN}
    return Refusal(
        reason=reason,
        shown_reason=reasons.refusal_reason_for(reason),
        explanation=explanation or told.get(reason) or pack.wording.reasons[reason],
        fallback=compose(reason, pack, intent),
        numbers=dict(numbers),
    )


def compose(
    reason: Reason,
    pack: Pack,
    intent: Intent | None = None,
    *,
    near: bool = False,
    pages: Sequence[Page] = (),
) -> str:
    """Return the text of the fallback: paragraphs, then one line for each link.

    Below an emergency notice it speaks in the pack's words for that, says what is
    missing, and offers the pages of that emergency.

    Args:
        reason: why there is no answer.
        pack: its words.
        intent: what the rules read out of the question.
        near: "Why" lists pages that came close; the text says so and names none.
        pages: those of the emergency, that the asker may see.
    """
    wording = pack.wording
    if reason in _OWN:
        return _OWN[reason]
    own = fixed(pack, intent) if reason not in _TECHNICAL else None
    if own is not None:
        practical = intent is not None and intent.kind in {*wording.fixed} - FEELINGS
        return _written([own], pack) if practical else own
    if reason is Reason.FIXED_TEXT:
        reason = Reason.INSUFFICIENT_CONTEXT  # an older pack had a text for it
    if reason is Reason.UNSUPPORTED_LANGUAGE:
        paragraphs = [_foreign(pack, intent)]
    elif reason is Reason.INSUFFICIENT_FACTS and intent and intent.missing_facts:
        facts = ", ".join(intent.missing_facts)
        asks = wording.missing_facts.replace("{facts}", facts)
        paragraphs = _framed(asks, "", pack, intent)
    else:
        near = near and reason not in _ASIDE
        said = _said(reason, pack, intent, near=near)
        paragraphs = _framed(said, wording.turn_to, pack, intent)
    told = [*paragraphs, *_offered(pages, wording)]
    return "\n\n".join(filter(None, told)) if _urgent(intent) else _written(told, pack)


def fixed(pack: Pack, intent: Intent | None) -> str | None:
    """Return what answers talk, and what is no medical question, in fixed words.

    None for an emergency, and for whatever asks the sources.
    """
    if intent is None or intent.urgent:
        return None
    if intent.kind in pack.wording.fixed:
        return pack.wording.fixed[intent.kind]
    if intent.kind not in TALK or not intent.in_scope:
        return None  # the pack's own rule knows better
    return pack.wording.answer_to(Talk(intent.kind)).replace("{title}", pack.title)


def speaks(reason: Reason, pack: Pack, intent: Intent) -> bool:
    """Return whether a fixed text answers in place of a refusal for this reason."""
    failed = reason in _TECHNICAL or reason in _OWN
    return not failed and fixed(pack, intent) is not None


def of_selection(pack: Pack, intent: Intent) -> str:
    """Return the text of the fallback where what the asker selected does not answer."""
    wording = pack.wording
    return _written(_framed(SELECTION_TEXT, wording.turn_to, pack, intent), pack)


def of_choice(pack: Pack, intent: Intent) -> str:
    """Return the text of the fallback where a chosen section is not there."""
    wording = pack.wording
    return _written(_framed(CHOICE_TEXT, wording.turn_to, pack, intent), pack)


def beside_choices(pack: Pack) -> str:
    """Return the short text of the fallback, where choices say what there is.

    Only what is missing and whom to ask; the reason is behind "Why?".
    """
    return _written([pack.wording.lacks, pack.wording.turn_to], pack)


def homepages(wording: Wording) -> str:
    """Return the end of every fallback: a line for each homepage; may be empty."""
    return "\n".join(f"- {link.title}: {link.url}" for link in wording.links)


def _said(reason: Reason, pack: Pack, intent: Intent | None, *, near: bool) -> str:
    """Return what is missing, why, and what there is instead.

    Below an emergency notice only what failed: help matters there, not the sources. A
    question of which the documents hold no word is not said to lie outside: nobody
    knows that.
    """
    wording = pack.wording
    unheard = reason is Reason.OUT_OF_SCOPE and intent is not None and intent.in_scope
    told = Reason.NO_RESULTS if unheard else reason
    said: list[str | None] = [wording.reasons[told]]
    if reason not in _TECHNICAL:
        if _urgent(intent) and wording.distress is not None:
            return ""
        said.insert(0, wording.lacks)
        if not _urgent(intent):
            said += [_covered(pack, intent), wording.nearby if near else None]
    return " ".join(text for text in said if text)


def _framed(said: str, turn_to: str, pack: Pack, intent: Intent | None) -> list[str]:
    """Between acknowledgement and where to turn, in words that suit the moment.

    People who work with it get no acknowledgement.
    """
    wording = pack.wording
    if not _urgent(intent):
        if pack.reader == "professionals":
            return [said, turn_to]
        return [wording.acknowledgement or "", said, turn_to]
    if wording.distress is None:
        return [said]
    return [wording.distress.acknowledgement, said, wording.distress.turn_to]


def _offered(pages: Sequence[Page], wording: Wording) -> list[str]:
    """Return what each page of the emergency says, below the pack's words for them."""
    if not pages or wording.distress is None:
        return []
    lines = [
        f"- “{page.sentence}” ({', '.join(filter(None, (page.title, page.url)))})"
        for page in pages
    ]
    return ["\n".join((wording.distress.pages, *lines))]


def _urgent(intent: Intent | None) -> bool:
    return intent is not None and intent.urgent


def _written(paragraphs: Sequence[str], pack: Pack) -> str:
    listed = (*paragraphs, homepages(pack.wording))
    return "\n\n".join(text for text in listed if text)


def _foreign(pack: Pack, intent: Intent | None) -> str:
    """Return the text for a foreign language, in it where the pack has it, else in
    English.
    """
    known = pack.wording.unsupported_language
    english = pack.wording.reasons[Reason.UNSUPPORTED_LANGUAGE]
    language = intent.language if intent else "en"
    return known.get(language, known.get("en", english))


def _covered(pack: Pack, intent: Intent | None) -> str | None:
    """Return what the pack does cover: topics near the question, else its first.

    None where the pack names none.
    """
    if pack.wording.covered is None or not pack.topics:
        return None
    asked = _content(intent.text) if intent else frozenset()
    near = [topic for topic in pack.topics if _content(topic) & asked]
    topics = (near or pack.topics)[:MOST_TOPICS]
    return pack.wording.covered.replace("{topics}", "; ".join(topics))


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)
