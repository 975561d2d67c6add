"""The pack's own words of a reply: fixed texts and templates, never a word of a model.

They come from the pack alone, so that a line of a reply is held against what the pack
says, and not against what the reply says of itself. A row keeps those that its served
text holds the fixed parts of.
"""

import re
from collections.abc import Iterable, Iterator

from adapters.terminal import NEARBY, see_also
from engine.conclude.fallback import AUDIT_FAILED_TEXT, CHOICE_TEXT, SELECTION_TEXT
from engine.conclude.notices import DAYS, UNNAMED, WIDENED
from engine.policy.contract import NOT_IN_PASSAGES
from engine.policy.pack import Pack
from engine.policy.records import Wording
from engine.text.talk import Talk
from evals.forms import Json
from evals.served.reading import visible

_SLOT = re.compile(r"\{[a-z]+\}")
_PRODUCT = (
    *(AUDIT_FAILED_TEXT, SELECTION_TEXT, CHOICE_TEXT, WIDENED, UNNAMED),
    f"{NOT_IN_PASSAGES}{{lacking}}.",
    "Analysis date basis: {date} ({basis})",
    *DAYS.values(),
    f"To see what came close: {NEARBY}",
)


def worded(pack: Pack, served: str) -> Json:
    """The fixed texts and templates of a pack whose fixed parts stand in a reply.

    `texts` are lines of them; the others are what may stand in their places, and
    `publishers` those of the pack's sources by id.
    """
    said = visible(served)
    rules = [section for intent in pack.intents for section in intent.sections]
    named = [*(r.missing for r in rules), *(f.label for r in rules for f in r.fields)]
    wanted = (r.sources for intent in pack.intents for r in intent.requires)
    held = {
        "topics": pack.topics,
        "kinds": (word for group in pack.answer.kinds for word in group),
        "lacking": filter(None, named),
        "titles": (pack.title,),
        "glossary": (
            word for words in pack.retrieval.glossary.values() for word in words
        ),
        "fields": (f.label.lower() for t in pack.things for f in t.fields if f.values),
        "requires": (name for names in wanted for name in names),
    }
    texts = (line for text in _texts(pack) for line in text.splitlines())
    found = {name: _within(values, said) for name, values in held.items()}
    known = {s.id: s.publisher for s in pack.sources if visible(s.publisher) in said}
    return {
        "texts": [t for t in dict.fromkeys(texts) if t.strip() and _stands(t, said)],
        "publishers": known,
        "demo": _within([pack.wording.demo_label], said),
        **{name: values for name, values in found.items() if values},
    }


def _stands(template: str, said: str) -> bool:
    return all(visible(part) in said for part in _SLOT.split(template))


def _within(values: Iterable[str], said: str) -> list[str]:
    return [value for value in dict.fromkeys(values) if visible(value) in said]


def _texts(pack: Pack) -> Iterator[str]:
    """Every fixed text of a pack, and of the product beside it."""
    yield from _PRODUCT
    yield from _wording(pack.wording)
    yield from (notice.text for notice in pack.notices.values())
    yield from pack.sensitive.by_id.values()
    yield from (pack.answer.attribution, pack.answer.selection_attribution)
    if pack.answer.limits is not None:
        yield pack.answer.limits.beyond
    for rule in (section for intent in pack.intents for section in intent.sections):
        yield from filter(None, (rule.heading, rule.empty, rule.says))
    for thing in pack.things:
        yield from filter(None, (thing.found, thing.left, thing.unknown, thing.unheld))
        yield from filter(None, (thing.silent, thing.otherwise))
        for line in (thing.absent, thing.unrecorded):
            yield from (line.replace("{label}", field.label) for field in thing.fields)


def _wording(words: Wording) -> Iterator[str]:
    yield from filter(None, (words.acknowledgement, words.lacks, words.turn_to))
    if words.links:
        yield see_also((link.title, link.url) for link in words.links)
    yield from words.reasons.values()
    yield from words.unsupported_language.values()
    for kind in words.emergencies:
        yield kind.text
        for page in kind.pages:
            said = f"“{page.sentence}” ({page.title}"
            yield from (f"{said})", f"{said}, {{url}})")
    yield from words.fixed.values()
    yield from (
        f"{text.partition('. ')[0].rstrip('.')}." for text in words.fixed.values()
    )
    yield from (words.answer_to(talk) for talk in Talk)
    if words.distress is not None:
        yield from words.distress.model_dump().values()
    named = words.not_found
    yield named if "{missing}" in named else f"{named.rstrip(' :')}: {{missing}}"
    yield from (words.missing_facts, words.requirement_unmet, words.disagreement)
    yield from (words.younger, words.to_come, words.day_meant)
    others = (
        words.one_kind,
        words.other_kinds,
        words.covered,
        words.nearby,
        words.widened,
        words.whole_year,
    )
    yield from filter(None, (*others, words.other_date))
