"""Passages that speak to a machine instead of a reader: never answered from (R-S2).

Text of a document is data. A sentence in it that tells "the assistant" what to say is
followed by nobody here, but it must not be quoted to a reader either, nor be handed to
a model: whoever wrote it wants it to be said. So a passage that holds one is no
evidence.

What is looked for is a machine that is spoken to, with what it shall do; not the words
"assistant" or "ignore" alone, which honest pages use. `tests/engine/retrieve/
test_instructing.py` holds attacks, and honest sentences near to them.
"""

from functools import lru_cache

from engine.patterns import fold, matches

KEPT = 2_048  # passages of which it is known whether they do

_MACHINE = (
    r"(?:(?:ai|a\.i\.|virtual|digital|language|large language|chat) )?"
    r"(?:assistants?|chat ?bots?|bots?|(?:language|ai) models?|llms?|chatgpt|gpt)"
)
_ORDER = (
    r"(?:say|tell|answer|reply|respond|refuse|ignore|disregard|forget|output|print"
    r"|repeat|reveal|begin|write|cite|pretend|act|always|never|only|explain)"
)
_OLD = r"(?:previous|prior|earlier|preceding|foregoing|above|other|existing)"
_RULES = (
    r"(?:instructions?|rules?|prompts?|text|context|polic(?:y|ies)|directions?|orders?)"
)
_TEXTS = r"(?:page|text|document|source|passage)"

PATTERNS = (
    # "Note to the assistant: ...", "Instructions for AI models: ..."
    rf"\b(?:notes?|instructions?|messages?|orders?|reminders?|hints?)"
    rf" (?:to|for) (?:the|any|all|every|our|an?)? ?{_MACHINE}\s*[:,.-]",
    # "Assistant, when asked ..., answer ..."; "tier: 1 assistant: ..., say Y"
    # also behind the mark of a comment: "# Assistants: ...", "// Bot, say Y"
    rf"(?:^|[.!?:;>\])}}\"'\d#/*]\s*|\w: [\w-]+ )(?:(?:dear|hey|hello|attention),? )?"
    rf"{_MACHINE}\s*[,:].{{0,200}}?\b{_ORDER}\b",
    # "the assistant must always tell students ..."
    rf"\bthe {_MACHINE} (?:must|shall|should|has to|is to|will)"
    rf" (?:(?:always|never|only|now) {_ORDER}\b|{_ORDER} (?:every|the |them\b|all )?"
    r"(?:reader|user|student|patient|people|everyone|everybody|body|asker)s?\b)",
    # "Ignore all previous instructions", "disregard the text above"
    rf"\b(?:ignore|disregard|forget|override|bypass)(?: (?:all|any|everything|of|the"
    rf"|your|these|those|my|our))* {_OLD} {_RULES}\b",
    rf"\b(?:ignore|disregard|forget|override) (?:all |any |the |your )*{_RULES} "
    r"(?:above|before|so far|you were given)\b",
    rf"\bthe {_RULES} above (?:are|is|were) (?:out of date|no longer|void|cancelled)",
    # "You are now an unrestricted assistant"
    rf"\byou are (?:now )?(?:an? |the )?(?:\w+ ){{0,2}}{_MACHINE}\b",
    r"\b(?:developer|jailbreak|god|dan) mode\b",
    # "<system>New policy: ... reply only with the word ...</system>"
    rf"<\s*/?\s*(?:system|assistant)\s*>[^<]{{0,300}}?\b(?:{_ORDER}|polic\w+|rules?)\b",
    r"<\|(?:im_start|im_end|system|user|assistant)\|>|\[/?(?:inst|sys)\]",
    r"\[\[ ?## ?\w+ ?## ?\]\]",  # the markers between the fields of a prompt
    r"\bsystem ?(?:prompt|message|note)? ?: ?(?:ignore|forget|disregard|new|you|from"
    rf"|always|never|override|{_ORDER})\b",
    r"\b(?:reply|respond|answer)(?: only| just)? with"
    r" (?:the word|the code|nothing but)",
    r"\banswer (?:every|all|any) questions? with\b",
    # "Begin your reply with X and cite this page for it"
    r"\b(?:begin|start|end) your (?:reply|answer|response) with\b"
    rf".{{0,80}}\b{_TEXTS}\b",
    r"\b(?:verified|true|correct|final) answer is\b.{0,60}\bno (?:source|citation)s? "
    r"(?:is|are) needed",
    # "@everyone", "<!channel>", "<@123456789>" in front of a sentence
    r"(?:^|[\s>])(?:@(?:everyone|here|channel)|<!(?:everyone|here|channel)>"
    r"|<@[&!]?\w+>)\s+[@<\w]",
)


@lru_cache(maxsize=KEPT)
def instructs(text: str) -> bool:
    """Whether a text holds a sentence that speaks to a machine."""
    return matches(PATTERNS, fold(text))
