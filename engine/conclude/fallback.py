"""The safe fallback: a refusal in the pack's fixed words, never from a model.

No text of the question, of a chunk or of a draft gets into it: it is composed of texts
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
# Whoever asks again may get an answer: no other place to turn to.
_AGAIN = frozenset({Reason.BUDGET_EXCEEDED, Reason.BUSY})
# The content of the documents does not matter here, nor do near passages.
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
    """Compose the text of the fallback: paragraphs, then one line for each link.

    Below an emergency notice it uses the pack's words for emergencies, says what is
    missing, and offers the pages of that emergency.

    Args:
        reason: why there is no answer.
        pack: its words.
        intent: the question as read.
        near: "Why" lists pages that came close; the text says so and names none.
        pages: those of the emergency that the asker may see.
    """
    wording = pack.wording
    if reason in _OWN:
        return _OWN[reason]
    own = find_fixed_text(pack, intent) if reason not in _TECHNICAL else None
    if own is not None:
        practical = intent is not None and intent.kind in {*wording.fixed} - FEELINGS
        return _join_paragraphs([own], pack) if practical else own
    if reason is Reason.FIXED_TEXT:
        reason = Reason.INSUFFICIENT_CONTEXT  # an older pack had a text for it
    if reason is Reason.UNSUPPORTED_LANGUAGE:
        paragraphs = [_find_foreign_text(pack, intent)]
    elif reason is Reason.INSUFFICIENT_FACTS and intent and intent.missing_facts:
        facts = ", ".join(intent.missing_facts)
        asks = wording.missing_facts.replace("{facts}", facts)
        paragraphs = _frame(asks, "", pack, intent)
    else:
        near = near and reason not in _ASIDE
        said = _explain(reason, pack, intent, near=near)
        again = reason in _AGAIN
        paragraphs = _frame(said, "" if again else wording.turn_to, pack, intent)
    told = [*paragraphs, *_offer_pages(pages, wording)]
    return (
        "\n\n".join(filter(None, told))
        if _is_urgent(intent)
        else _join_paragraphs(told, pack)
    )


def find_fixed_text(pack: Pack, intent: Intent | None) -> str | None:
    """Return the fixed text that answers talk, or a message that is no medical
    question.

    None for an emergency, and for any question to the sources.
    """
    if intent is None or intent.urgent:
        return None
    if intent.kind in pack.wording.fixed:
        return pack.wording.fixed[intent.kind]
    if intent.kind not in TALK or not intent.in_scope:
        return None  # the pack's own rule knows better
    return pack.wording.answer_to(Talk(intent.kind)).replace("{title}", pack.title)


def has_fixed_text(reason: Reason, pack: Pack, intent: Intent) -> bool:
    """Return whether a fixed text answers in place of a refusal for this reason."""
    failed = reason in _TECHNICAL or reason in _OWN
    return not failed and find_fixed_text(pack, intent) is not None


def compose_for_selection(pack: Pack, intent: Intent) -> str:
    """Compose the fallback where the selected text does not answer."""
    wording = pack.wording
    return _join_paragraphs(_frame(SELECTION_TEXT, wording.turn_to, pack, intent), pack)


def compose_for_choice(pack: Pack, intent: Intent) -> str:
    """Compose the fallback where a chosen section is not there."""
    wording = pack.wording
    return _join_paragraphs(_frame(CHOICE_TEXT, wording.turn_to, pack, intent), pack)


def compose_above_choices(pack: Pack) -> str:
    """Compose the short fallback above choices.

    Only what is missing and whom to ask; the reason is behind "Why?".
    """
    return _join_paragraphs([pack.wording.lacks, pack.wording.turn_to], pack)


def list_homepages(wording: Wording) -> str:
    """Return the end of every fallback: a line for each homepage; may be empty."""
    return "\n".join(f"- {link.title}: {link.url}" for link in wording.links)


def _explain(reason: Reason, pack: Pack, intent: Intent | None, *, near: bool) -> str:
    """Return what is missing, the reason, and where pages are near or what is covered.

    Below an emergency notice only what failed: help matters there, not the sources. A
    question whose words occur in no document is not called out of scope: that is not
    known.
    """
    wording = pack.wording
    unheard = reason is Reason.OUT_OF_SCOPE and intent is not None and intent.in_scope
    told = Reason.NO_RESULTS if unheard else reason
    said: list[str | None] = [wording.reasons[told]]
    if reason not in _TECHNICAL:
        if _is_urgent(intent) and wording.distress is not None:
            return ""
        said.insert(0, wording.lacks)
        if not _is_urgent(intent):
            said.append(wording.nearby if near else _describe_coverage(pack, intent))
    return " ".join(text for text in said if text)


def _frame(said: str, turn_to: str, pack: Pack, intent: Intent | None) -> list[str]:
    """Frame a text with acknowledgement and referral, in words that suit the moment.

    Professionals get no acknowledgement.
    """
    wording = pack.wording
    if not _is_urgent(intent):
        if pack.reader == "professionals":
            return [said, turn_to]
        return [wording.acknowledgement or "", said, turn_to]
    if wording.distress is None:
        return [said]
    return [wording.distress.acknowledgement, said, wording.distress.turn_to or ""]


def _offer_pages(pages: Sequence[Page], wording: Wording) -> list[str]:
    """Quote each page of the emergency, below the pack's words for them."""
    if not pages or wording.distress is None:
        return []
    lines = [
        f"- “{page.sentence}” ({', '.join(filter(None, (page.title, page.url)))})"
        for page in pages
    ]
    return ["\n".join((wording.distress.pages, *lines))]


def _is_urgent(intent: Intent | None) -> bool:
    return intent is not None and intent.urgent


def _join_paragraphs(paragraphs: Sequence[str], pack: Pack) -> str:
    listed = (*paragraphs, list_homepages(pack.wording))
    return "\n\n".join(text for text in listed if text)


def _find_foreign_text(pack: Pack, intent: Intent | None) -> str:
    """Return the text for a foreign language, in that language if the pack has it."""
    known = pack.wording.unsupported_language
    english = pack.wording.reasons[Reason.UNSUPPORTED_LANGUAGE]
    language = intent.language if intent else "en"
    return known.get(language, known.get("en", english))


def _describe_coverage(pack: Pack, intent: Intent | None) -> str | None:
    """Return the topics that the pack covers: those near the question, else its first.

    None where the pack names none.
    """
    if pack.wording.covered is None or not pack.topics:
        return None
    asked = _stem_content(intent.text) if intent else frozenset()
    near = [topic for topic in pack.topics if _stem_content(topic) & asked]
    topics = (near or pack.topics)[:MOST_TOPICS]
    return pack.wording.covered.replace("{topics}", "; ".join(topics))


def _stem_content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOPWORDS)
