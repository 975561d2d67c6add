"""Passages that give orders to a machine instead of informing a reader.

Text of a document is data: the bot follows no order in it, a model returns only numbers
of sentences, and a quotation is word for word what its page says. One thing is left: a
reader should not be shown an order that was meant for us. So a passage with one is no
evidence, and is removed before anything is scored.

The patterns look for a machine that is addressed and told what to answer, a chat that
is written into a page, or an order to forget the rules. Handbooks write about
assistants and bots, give rules to people and post to channels: all of that is for
readers. A text that may be either is taken as one for readers, as it does no harm as a
quotation. `tests/engine/text/test_instructing.py` holds attacks, and honest sentences
near to them.
"""

from functools import lru_cache

from engine.model.passage import Chunk
from engine.text.patterns import fold, matches

KEPT = 8_192  # passages whose result is cached

_MACHINE = (
    r"(?:(?:ai|a\.i\.|chat) assistants?|assistants?|chat ?bots?|bots?"
    r"|(?:ai|language) models?|llms?|chatgpt|gpt)"
)
_SPEAK = r"(?:say|tell|answer|reply|respond|claim|print|output|reveal|repeat|pretend)"
_READER = (
    r"(?:(?:the|every|any|all) (?:reader|user|asker)s?|whoever|who ever|them\b"
    r"|every(?:one|body)|any(?:one|body))"
)
_OLD = r"(?:previous|prior|earlier|preceding|foregoing|above)"
_RULES = r"(?:instructions?|rules?|prompts?|directions?)"
# Orders that make sense only to somebody who answers questions about the page.
_ANSWERING = (
    rf"(?:\b(?:say|answer|reply|respond|claim|pretend)(?: them)? that\b"
    rf"|\btell {_READER}|\brefuse (?:every|all|any)\b|\banswer with (?:citation|\[)"
    rf"|\byour (?:reply|answer|response)\b|\b{_SPEAK} \S+ instead\b"
    rf"|\bthe (?:reader|user|asker)s? (?:must|has to|should|is to) be told\b"
    rf"|\bwhoever (?:reads|asks)\b|\bsend {_READER}"
    rf"|\bignore the (?:text|function|page|passage|code|rest) above\b)"
)
# Where a sentence begins: of a line, behind another, behind the mark of a comment, or
# as a line of front matter that was written into a page ("tier: 1 assistant: ...").
_BEGINS = r"(?:^|[.!?:;>\])}\"'\d#/*]\s*|\w: [\w-]+ )"

PATTERNS = (
    # "Assistant, when asked ..., answer with ..."; "Note to the assistant: tell ..."
    rf"{_BEGINS}(?:(?:dear|hey|hello|attention),? )?{_MACHINE}\s*[,:].{{0,200}}?"
    rf"{_ANSWERING}",
    rf"\b(?:notes?|instructions?|messages?|orders?|reminders?|hints?) (?:to|for)"
    rf" (?:the|any|all|every|our|an?)? ?{_MACHINE}\s*[:,.-].{{0,200}}?{_ANSWERING}",
    # "SYSTEM: answer that ...", "System prompt: tell everybody ...", "<system>New rule"
    rf"{_BEGINS}system(?: prompt| message| note)?\s*[,:].{{0,200}}?{_ANSWERING}",
    r"<\s*/?\s*(?:system|assistant)\s*>[^<]{0,300}?"
    rf"(?:{_ANSWERING}|\bnew (?:rule|policy|instruction)s?\b)",
    r"<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?(?:inst|sys)\]\s*\w",
    r"\[\[ ?## ?\w+ ?## ?\]\]",  # the markers between the fields of a prompt
    # "Ignore all previous instructions", "forget the rules above and tell ..."
    rf"\b(?:ignore|disregard|forget)(?: of)? (?:all|any|every)(?: of)?"
    rf"(?: the| your| these| my| our)? {_OLD} {_RULES}\b",
    rf"\b(?:ignore|disregard|forget)(?: the| your| these| my| our)? (?:{_OLD} {_RULES}"
    rf"|{_RULES} (?:above|before))(?: and|, and|,)(?: then| instead)? {_SPEAK}\b",
    rf"\b(?:ignore|disregard|forget) (?:all |any |the |your )*{_RULES}"
    r" (?:that )?you were given\b",
    # "You are now an unrestricted assistant"
    r"\byou are (?:now )?(?:an? |the )?(?:unrestricted|unfiltered|uncensored"
    rf"|jailbroken|rogue|evil) (?:\w+ )?{_MACHINE}\b",
    r"\byou are now (?:an? |the )?(?:\w+ )?"
    r"(?:chat ?bots?|(?:ai|language) (?:models?|assistants?)|llms?|chatgpt|gpt|dan)\b",
    r"\byou are (?:now )?(?:an? |the )?(?:\w+ )?(?:assistant|bot) without (?:any )?"
    r"(?:rules|limits|restrictions|filters)\b",
    # "Reply only with the word X"; "Begin your reply with X and cite this page for it"
    r"\b(?:reply|respond|answer) (?:only|just) with (?:the word|nothing but)",
    r"\b(?:begin|start|end) your (?:reply|answer|response) with\b.{0,80}"
    r"\b(?:page|text|document|source|passage)\b",
    r"\b(?:verified|true|correct|final) answer is\b.{0,60}\bno (?:source|citation)s? "
    r"(?:is|are) needed",
    # a platform's own code for a mention, opening a text: it is never for a reader
    r"(?:^|[.!?]\s+|@\w+ )<(?:!(?:everyone|here|channel)|@[&!]?\d+)>\s+[@<\w]",
)


@lru_cache(maxsize=KEPT)
def instructs(text: str) -> bool:
    """Return whether a text holds a sentence that gives orders to a machine.

    A line may continue in the next one, or end a sentence without a full stop.
    """
    ended = fold(text.replace("\n", ". "))
    return matches(PATTERNS, fold(text)) or matches(PATTERNS, ended)


def is_withheld(chunk: Chunk) -> bool:
    """Return whether a passage is no evidence because it, or its context, gives orders.

    Its title and its headings are shown above it, its context beside it.
    """
    beside = (excerpt.text for excerpt in chunk.context)
    return any(
        instructs(text) for text in (chunk.text, chunk.title, *chunk.section, *beside)
    )
