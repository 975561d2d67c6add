"""False paraphrases of real and of demo sentences: none is SUPPORTED (R-V3, R-V4)."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from adapters.loaders import markdown
from adapters.loaders.limits import Limits
from engine.corpus import build_document, make_chunks
from engine.records import Chunk
from tests.engine.validate.alterations import ALTERATIONS
from tests.engine.validate.drafts import checked, claim
from tests.engine.validate.test_mutants import (
    cases,
    passages,
    plainly,
    said_anew,
    text_of,
    words,
)

SEED = 20261122
_SILENT = "a an the of is are it you who have has them this these being"
SILENT = frozenset(_SILENT.split())


def demo_passages(root: Path) -> list[Chunk]:
    """Chunks of every demo document of the packs."""
    found: list[Chunk] = []
    for file in sorted(root.glob("config/packs/*/corpus/*.md")):
        parsed = markdown.parse(file.read_text("utf-8"), file.name, Limits())
        found += make_chunks(build_document(parsed, "one"))
    return found


def content(text: str) -> list[str]:
    """The words in order but for those that say nothing: an alteration changes them."""
    found = re.findall(
        r"[^\s.,;:?!()\"]+", re.sub("for (?:example|instance)", "", text.lower())
    )
    return [word.removesuffix("s") for word in found if word not in SILENT]


def altered(
    chunks: Sequence[Chunk], many: int, seed: int = SEED
) -> tuple[Counter[str], list[str]]:
    """How many alterations of each kind were tried, and those that were SUPPORTED."""
    random = Random(seed)
    tried: Counter[str] = Counter()
    accepted: list[str] = []
    for place, chunk, sentence in cases(chunks, random):
        if tried.total() >= many:
            break
        at = chunk.sentences.index(sentence)
        others = [*chunk.sentences[at + 1 :], *chunk.sentences[:at]]
        near = text_of(chunk, others[0]) if others else ""
        original = text_of(chunk, sentence)
        kinds = random.sample([*ALTERATIONS], len(ALTERATIONS))
        for kind in sorted(kinds, key=lambda k: tried[k]):
            text = ALTERATIONS[kind](original, near, random)
            if text is None or content(text) == content(original):
                continue
            if plainly(text) in plainly(chunk.text):
                continue
            named = text.split()[0] in " ".join((chunk.title, *chunk.section)).split()
            if kind == "pronoun" and named:
                continue
            if any(words(text) <= words(text_of(chunk, s)) for s in others):
                continue
            tried[kind] += 1
            verdict = checked(place, claim(text, 1))
            if verdict.tally.supported and said_anew(verdict, chunk):
                accepted.append(f"{kind}: {original!r} ({near!r}) -> {text!r}")
            break
    return tried, accepted


def test_no_altered_demo_sentence_is_supported_R_V3_R_V4(root: Path) -> None:
    """Some hundreds, over the packs' own texts."""
    tried, accepted = altered(demo_passages(root), 800)
    assert len(tried) >= len(ALTERATIONS) - 2
    assert accepted == []


@pytest.mark.prove
def test_no_altered_sentence_of_the_packs_is_supported_R_V3_R_V4(root: Path) -> None:
    """Twelve thousand, over the packs' own texts."""
    assert altered(demo_passages(root), 12_000, SEED + 1)[1] == []


@pytest.mark.prove
def test_no_altered_real_sentence_is_supported_R_V3_R_V4(shared_data: Path) -> None:
    """Twelve thousand, over the real documents."""
    chunks = passages(shared_data, 150, Random(SEED))
    assert altered(chunks, 12_000, SEED + 2)[1] == []
