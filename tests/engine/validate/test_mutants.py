"""Falsified quotations and claims of real sentences: none passes, honest ones do."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from adapters.loaders import markdown, rst
from adapters.loaders.limits import Limits
from engine.corpus import build_document, make_chunks
from engine.corpus_records import BlockKind, Sentence
from engine.records import Chunk
from engine.validate.check import Rejected, Verified
from engine.validate.grounds import grounds
from engine.validate.material import Material, folded_chunk, plain
from tests.engine.validate.drafts import (
    GUIDE,
    SECOND,
    checked,
    chunks_of,
    claim,
    codes,
    room,
    shown,
)
from tests.engine.validate.honest import HONEST
from tests.engine.validate.mutants import (
    FALSIFIERS,
    GRAMMAR,
    reasoned,
    spliced,
)

SEED = 20261122
JOINED = {"spliced": spliced, "reasoned": reasoned}
PARSERS = {".md": markdown.parse, ".rst": rst.parse}


def passages(folder: Path, documents: int, random: Random) -> list[Chunk]:
    """Chunks of some real documents, and of the texts written for these tests."""
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.suffix in PARSERS and "nci" not in file.parts
    )
    found = [*chunks_of(GUIDE), *chunks_of(SECOND, "second")]
    for file in random.sample(files, documents):
        parsed = PARSERS[file.suffix](file.read_text("utf-8"), file.name, Limits())
        found += make_chunks(build_document(parsed, "one"))
    return found


def cases(
    chunks: Sequence[Chunk], random: Random
) -> Iterator[tuple[Material, Chunk, Sentence]]:
    """Sentences to falsify, each with its own passage as the only evidence."""
    rooms = [room((chunk,)) for chunk in chunks]
    pairs = [
        (place, sentence)
        for place in rooms
        for sentence in place.chunks[0].sentences
        if sentence.quotable
        and sentence.kind in (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
        and sentence.end - sentence.start > 30
    ]
    while True:
        place, sentence = random.choice(pairs)
        yield place, place.chunks[0], sentence


def text_of(chunk: Chunk, sentence: Sentence) -> str:
    return chunk.text[sentence.start - chunk.start : sentence.end - chunk.start]


def said_anew(verdict: Verified | Rejected, chunk: Chunk) -> bool:
    """Whether prose is shown that does not stand in the chunk word for word."""
    if isinstance(verdict, Rejected):
        return False
    claims = [c for section in verdict.answer.sections for c in section.claims]
    source = plainly(chunk.text)
    return any(not c.quotation and plainly(c.text) not in source for c in claims)


def plainly(text: str) -> str:
    """A folding of our own, for the tests' own judgement of what is verbatim."""
    for curly, straight in zip("\u2018\u2019\u201c\u201d", "''\"\"", strict=True):
        text = text.replace(curly, straight)
    return " ".join(text.split()).rstrip(" .?!")


def words(text: str) -> set[str]:
    """The words of a text that are no grammar, without the ending of a plural."""
    found = set(re.findall(r"[^\s.,;:?!()\"]+", text.lower())) - set(GRAMMAR.split())
    return {word.removesuffix("s") for word in found}


def falsified(
    chunk: Chunk, sentence: Sentence, kind: str, random: Random
) -> str | None:
    """A text that the chunk does not hold, made from one of its sentences.

    None where another sentence of the chunk has all its words: it may be true.
    """
    text = text_of(chunk, sentence)
    others = [s for s in chunk.sentences if s != sentence]
    if kind in JOINED:
        mutant = JOINED[kind](text, text_of(chunk, random.choice(chunk.sentences)))
        others.append(sentence)
    else:
        mutant = FALSIFIERS[kind](text, random)
    if mutant is None or plainly(mutant) in plainly(chunk.text):
        return None
    if any(words(mutant) <= words(text_of(chunk, other)) for other in others):
        return None
    return mutant


def survivors(
    chunks: Sequence[Chunk], many: int, *, quotation: bool
) -> tuple[Counter[str], list[str]]:
    """How many mutants of each kind were tried, and those that were accepted."""
    random = Random(SEED)
    tried: Counter[str] = Counter()
    accepted: list[str] = []
    kinds = [*FALSIFIERS, *JOINED]
    for place, chunk, sentence in cases(chunks, random):
        if tried.total() >= many:
            return tried, accepted
        rarest = min(kinds, key=lambda k: (tried[k], random.random()))
        for kind in (rarest, *random.sample(kinds, 4)):
            mutant = falsified(chunk, sentence, kind, random)
            if mutant is None:
                continue
            tried[kind] += 1
            verdict = checked(place, claim(mutant, 1, quotation=quotation))
            if verdict.tally.supported and (quotation or said_anew(verdict, chunk)):
                original = text_of(chunk, sentence)
                accepted.append(f"{kind}: {original!r} -> {mutant!r}")
            break
    raise AssertionError("no cases")


def mixed_lists(chunks: Sequence[Chunk]) -> tuple[int, list[str]]:
    """How many lead-ins were tried with an item of another list, and those accepted."""
    tried, accepted = 0, []
    for chunk in chunks:
        items = [s for s in chunk.sentences if s.lead_in is not None]
        leads = {s.lead_in.start: s.lead_in for s in items if s.lead_in is not None}
        for lead in leads.values():
            inside = chunk.start <= lead.start < lead.end <= chunk.end
            if not inside or chunk.text[lead.end - chunk.start - 1] != ":":
                continue
            head = chunk.text[lead.start - chunk.start : lead.end - chunk.start]
            own = [text_of(chunk, s) for s in items if s.lead_in == lead]
            for item in items:
                mutant = f"{head.rstrip(': ')}: {text_of(chunk, item)}"
                known = words(head) | set().union(*map(words, own))
                if item.lead_in == lead or words(mutant) <= known:
                    continue
                tried += 1
                verdict = checked(room((chunk,)), claim(mutant, 1))
                if verdict.tally.supported and said_anew(verdict, chunk):
                    accepted.append(mutant)
    return tried, accepted


def refused_honestly(chunks: Sequence[Chunk], many: int) -> list[str]:
    """Honest variants of quotations that were not shown in the source's letters."""
    random = Random(SEED)
    refused = []
    for _, (place, chunk, sentence) in zip(
        range(many), cases(chunks, random), strict=False
    ):
        text = text_of(chunk, sentence)
        variant = random.choice(HONEST)(text, random)
        verdict = checked(place, claim(variant, 1, quotation=True))
        if not any(text in whole for whole in shown(verdict)):
            refused.append(f"{text!r} -> {variant!r}")
    return refused


@pytest.fixture(scope="module")
def sample(shared_data: Path) -> list[Chunk]:
    return passages(shared_data, 12, Random(SEED))


@pytest.fixture(scope="module")
def many_documents(shared_data: Path) -> list[Chunk]:
    return passages(shared_data, 150, Random(SEED))


def test_no_falsified_quotation_passes_R_I7_R_V8(sample: list[Chunk]) -> None:
    """Digits, units, negations, modals, names, order, Unicode: a seeded sample."""
    tried, accepted = survivors(sample, 800, quotation=True)
    assert len(tried) == len(FALSIFIERS) + len(JOINED)
    assert accepted == []


def test_no_falsified_claim_is_supported_R_V3_R_V4(sample: list[Chunk]) -> None:
    """The same, written as prose with a citation."""
    tried, accepted = survivors(sample, 700, quotation=False)
    assert len(tried) == len(FALSIFIERS) + len(JOINED)
    assert accepted == []


def test_honest_quotations_all_pass_R_I7(sample: list[Chunk]) -> None:
    """Quotes, ligatures, spaces, hyphens and Markdown marks are presentation."""
    assert refused_honestly(sample, 500) == []


def test_every_run_of_whole_sentences_may_be_quoted_R_A3(sample: list[Chunk]) -> None:
    """What the deterministic answer drafts: exact slices, list items and all."""
    random = Random(SEED)
    refused = []
    for _ in range(500):
        chunk = random.choice(sample)
        first = random.randrange(len(chunk.sentences))
        run = chunk.sentences[first : first + random.randint(1, 6)]
        if not all(sentence.quotable for sentence in run):
            continue
        start, end = run[0].start - chunk.start, run[-1].end - chunk.start
        text = chunk.text[start:end]
        verdict = checked(room((chunk,)), claim(text, 1, quotation=True))
        if not any(text in whole for whole in shown(verdict)):
            refused.append(text)
    assert refused == []


def test_every_sentence_is_its_own_support_R_V4(sample: list[Chunk]) -> None:
    """A source sentence repeated as prose is SUPPORTED, where it may be said at all.

    An item of a list may not without what introduces it, nor a question.
    """
    random = Random(SEED)
    refused = []
    for _, (place, chunk, sentence) in zip(
        range(300), cases(sample, random), strict=False
    ):
        verdict = checked(place, claim(text_of(chunk, sentence), 1))
        forbidden = {"prohibited", "foreign_address"} & set(codes(verdict))
        ground = grounds(chunk, plain).sentences[chunk.sentences.index(sentence)]
        sayable = ground.row and not ground.leans
        if sayable and not verdict.tally.supported and not forbidden:
            refused.append(text_of(chunk, sentence))
    assert refused == []


@pytest.mark.prove
def test_no_item_of_another_list_is_supported_R_V4(
    many_documents: list[Chunk],
) -> None:
    """A lead-in with what stands below another one."""
    tried, accepted = mixed_lists(many_documents)
    assert tried > 20
    assert accepted == []


@pytest.mark.prove
def test_ten_thousand_falsified_quotations_R_I7_R_V8(
    many_documents: list[Chunk],
) -> None:
    """None accepted."""
    assert survivors(many_documents, 12_000, quotation=True)[1] == []


@pytest.mark.prove
def test_ten_thousand_falsified_claims_R_V3_R_V4(many_documents: list[Chunk]) -> None:
    """None SUPPORTED."""
    assert survivors(many_documents, 12_000, quotation=False)[1] == []


@pytest.mark.prove
def test_five_thousand_honest_quotations_R_I7(many_documents: list[Chunk]) -> None:
    """All accepted, in the source's own letters."""
    assert refused_honestly(many_documents, 5_000) == []


def test_folding_a_chunk_keeps_its_place() -> None:
    """Offsets of a folded chunk are those of the canonical text."""
    chunk = chunks_of(GUIDE)[-1]
    assert int(folded_chunk(chunk).offsets[0]) == chunk.start
