"""Make rows of outcomes: what a person saw and why, equal in equal runs."""

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import product
from typing import Any

from rich.console import Console

from adapters.reply import compose
from adapters.terminal import NEARBY, Terminal, join_links
from bot.batch import FAULTS
from engine.conclude.fallback import AUDIT_FAILED_TEXT, CHOICE_TEXT, SELECTION_TEXT
from engine.conclude.notices import DAYS, UNNAMED, WIDENED
from engine.model.answer import Answer
from engine.model.codes import Reason
from engine.model.document import BlockKind, Document
from engine.model.gate import Open
from engine.model.outcome import Outcome, Refusal
from engine.model.passage import Chunk
from engine.model.places import encode_path
from engine.model.record import record_of
from engine.policy.contract import NOT_IN_PASSAGES
from engine.policy.pack import Pack
from engine.policy.pack import Source as Registered
from engine.policy.records import Wording
from engine.text.talk import Talk
from evals.forms import Json, Row, Shown, Source
from evals.reading import SEPARATOR, visible
from evals.record.platforms import describe_look
from evals.record.runner import Item
from evals.store import digest

DIGITS = 4  # of a figure in a row
PROGRAM = "groundrule"

# Ids, times and counts of tokens; timings.jsonl holds what a model call took.
_PASSING = (
    *("id", "question_id", "created", "audit_id"),
    *("timings_ms", "token_use"),
)
# The outcome says nothing of the question. A question that ran out of time or money was
# not refused for what it asks either.
_UNASKED = FAULTS | {Reason.BUDGET_EXCEEDED}
# A document version: its id and its hash.
Version = tuple[str, str]


def make_row(item: Item, outcome: Outcome, pack: Pack, today: date) -> Row:
    """Make the row of an outcome; one with an error where the question was not asked.

    Args:
        item: what was asked.
        outcome: what the engine came to.
        pack: whose words it is said in.
        today: the day from which the age of a source is counted.
    """
    place: dict[str, Any] = {
        "case": item.case.id,
        "repeat": item.repeat,
        "key": item.key,
    }
    result = outcome.result
    if isinstance(result, Refusal) and result.reason in _UNASKED:
        return Row(**place, error=f"{result.reason}: {result.explanation}")
    text = render_text(outcome, pack, today)
    return Row(
        **place,
        record=_make_record(outcome),
        sections=tuple(_list_sections(outcome, pack)),
        evidence=tuple(_list_evidence(outcome)),
        served=text,
        worded=find_wording(pack, text),
        shown=describe_look(outcome, pack, today, text),
    )


def make_talk_row(item: Item, kind: Talk, said: str) -> Row:
    """Make the row of a message that asks nothing of the sources."""
    place: dict[str, Any] = {"case": item.case.id, "repeat": item.repeat}
    shown = Shown(words=digest(said))
    return Row(**place, key=item.key, served=said, shown=shown, talk=kind.value)


def render_text(outcome: Outcome, pack: Pack, today: date) -> str:
    """Write what a person reads in a terminal: banners, body with its rest, sources."""
    bare = outcome.model_copy(update={"audit_id": None})
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    console = Console(
        file=out, markup=False, highlight=False, emoji=False, force_terminal=False
    )
    Terminal(console, PROGRAM).show(compose(bare, pack.wording, today, whole=True))
    out.seek(0)
    return out.read().rstrip() + "\n"


def list_versions(outcome: Outcome) -> set[Version]:
    """List the document versions that an outcome cites or was offered."""
    offered = outcome.gate.chunks if isinstance(outcome.gate, Open) else ()
    found = {(chunk.document, chunk.version) for chunk in offered}
    if isinstance(outcome.result, Answer):
        found |= {(c.document, c.version) for c in outcome.result.citations}
    return found


def describe_source(
    document: Document, path: str, register: Mapping[str, Registered]
) -> Source:
    """Describe a document version with what the register says of its source.

    Args:
        document: as the ledger holds it.
        path: below the corpus folder.
        register: the pack's sources by id.
    """
    source = register.get(document.source)
    headings = {s.section for s in document.sentences}
    headings |= {
        (*s.section, " ".join(s.of(document.text).split()))
        for s in document.sentences
        if s.kind is BlockKind.HEADING
    }
    code = source.code.url(encode_path(path), 1, 1) if source and source.code else None
    return Source(
        version=document.version,
        document=document.id,
        path=path,
        text=document.text,
        title=document.title,
        source=document.source,
        tier=source.tier if source else None,
        type=source.type if source else "",
        url=document.url,
        sections=tuple(sorted(map(SEPARATOR.join, headings))),
        code=(code or "").partition("#")[0],
    )


def sum_costs(outcome: Outcome) -> Json:
    """Say what asking took: milliseconds, tokens, US dollars (None: no price is
    known)."""
    costs = [prompt.usage.cost for prompt in outcome.prompts]
    known = all(cost is not None for cost in costs)
    return {
        "milliseconds": round_floats(dict(outcome.milliseconds)),
        "tokens": dict(outcome.tokens),
        "cost": sum(cost or 0.0 for cost in costs) if known else None,
    }


def round_floats(value: Any) -> Any:
    """Round the floats in JSON to the digits of a row."""
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0  # no minus before a zero
    if isinstance(value, Mapping):
        return {name: round_floats(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return [round_floats(held) for held in value]
    return value


def _make_record(outcome: Outcome) -> Json:
    made = record_of(outcome).model_dump(mode="json", exclude=set(_PASSING))
    if made["retrieval"]:
        del made["retrieval"]["milliseconds"]
    for prompt in made["prompts"]:
        del prompt["usage"]
    found: Json = round_floats(made)
    return found


def _list_sections(outcome: Outcome, pack: Pack) -> Iterable[Json]:
    """List headings and claims; the pack's own sentences are marked as such."""
    result = outcome.result
    fixed = frozenset((*pack.sensitive.by_id.values(), *_list_own_words(outcome, pack)))
    for section in result.sections if isinstance(result, Answer) else ():
        held = section.model_dump(mode="json")
        for claim in held["claims"]:
            last = claim["text"].startswith(NOT_IN_PASSAGES)
            if (last or claim["text"] in fixed) and not claim["citations"]:
                claim["fixed"] = True
            if not claim["row"]:
                del claim["row"]  # as it was before an answer had blocks of fields
        yield held


def _list_own_words(outcome: Outcome, pack: Pack) -> Iterable[str]:
    """List what contracts and blocks of a pack say in its own words."""
    result = outcome.result
    offered = outcome.gate.chunks if isinstance(outcome.gate, Open) else ()
    every = {thing.names[:1] or (c.title,) for c in offered for thing in c.things}
    for thing, (name,) in product(pack.things, every):
        for line in (thing.absent, thing.unrecorded):
            yield from (line.format(label=f.label, name=name) for f in thing.fields)
    titles = {c.title for c in result.citations} if isinstance(result, Answer) else ()
    if pack.answer.limits is not None:
        beyond = pack.answer.limits.beyond
        yield from (beyond.replace("{title}", title) for title in titles)
    for rule in (section for intent in pack.intents for section in intent.sections):
        yield from filter(None, (rule.empty, rule.says))


def _list_evidence(outcome: Outcome) -> Iterable[Json]:
    """List the passages that the gate let through, in their order.

    A passage about a thing brings the fields of its record, wherever it holds them.
    """
    offered = outcome.gate.chunks if isinstance(outcome.gate, Open) else ()
    return (
        {
            "chunk": chunk.id,
            "document": chunk.document,
            "version": chunk.version,
            "start": chunk.start,
            "end": chunk.end,
            "source": chunk.source,
            "relevance": round_floats(chunk.relevance),
            **_locate_fields(chunk),
        }
        for chunk in offered
    )


def _locate_fields(chunk: Chunk) -> Json:
    """Locate the fields of the things that a passage is about, if it is about any."""
    held = [thing.attributes for thing in chunk.things if thing.attributes]
    spans = [[said[0].start, max(one.end for one in said)] for said in held]
    return {"fields": spans} if spans else {}


# --- the pack's own words ---------------------------------------------------------

_SLOT = re.compile(r"\{[a-z]+\}")
_PRODUCT = (
    *(AUDIT_FAILED_TEXT, SELECTION_TEXT, CHOICE_TEXT, WIDENED, UNNAMED),
    f"{NOT_IN_PASSAGES}{{lacking}}.",
    "Analysis date basis: {date} ({basis})",
    *DAYS.values(),
    f"To see what came close: {NEARBY}",
)


def find_wording(pack: Pack, served: str) -> Json:
    """Find the fixed texts and templates of a pack whose fixed parts are in a reply.

    `texts` are their lines; the others are what may fill their slots, and `publishers`
    those of the pack's sources by id.
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
    texts = (line for text in _list_texts(pack) for line in text.splitlines())
    found = {name: _select_held(values, said) for name, values in held.items()}
    known = {s.id: s.publisher for s in pack.sources if visible(s.publisher) in said}
    return {
        "texts": [
            text
            for text in dict.fromkeys(texts)
            if text.strip() and all(visible(p) in said for p in _SLOT.split(text))
        ],
        "publishers": known,
        "demo": _select_held([pack.wording.demo_label], said),
        **{name: values for name, values in found.items() if values},
    }


def _select_held(values: Iterable[str], said: str) -> list[str]:
    return [value for value in dict.fromkeys(values) if visible(value) in said]


def _list_texts(pack: Pack) -> Iterator[str]:
    """Yield every fixed text of a pack, and of the product beside it."""
    yield from _PRODUCT
    yield from _list_wording(pack.wording)
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


def _list_wording(words: Wording) -> Iterator[str]:
    yield from filter(None, (words.acknowledgement, words.lacks, words.turn_to))
    if words.links:
        yield join_links((link.title, link.url) for link in words.links)
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
        yield from filter(None, words.distress.model_dump().values())
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
