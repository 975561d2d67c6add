"""What a pack could say so that it answers an administrator's own questions.

Each question names the page that answers it, or that none does. A change is proposed
only where it was tried on all of them: with it one comes out better and none worse.
Nothing is written and no model is asked.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from adapters.pack_text import Changes
from engine.documents.records import Membership
from engine.errors import UsageError
from engine.gate import decide
from engine.lexicon import STOPWORDS, stem, words
from engine.policy.pack import Pack
from engine.ports import CorpusStatistics, Floats
from engine.question import intent as intents
from engine.records import Open, Question
from engine.retrieve.quotation import quotation
from engine.retrieve.search import Searcher

SEPARATOR = " | "
NOTHING = "-"
MOST_WORDS = 4  # of a question that another word is looked for
MOST_MEANINGS = 5  # that are tried for each
LONGEST_MEANING = 3  # words
MOST_TERMS = 150  # of a page, the most frequent ones, that a meaning is chosen from
NEARER = 0.1  # of relevance: what a glossary line has to bring
SHORTEST = 3  # letters of a word that is explained
GRID = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
# Answering what no page answers weighs as much as so many right answers.
WRONG = 3


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, and the title or id of the page that answers it; None: none does."""

    text: str
    page: str | None


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a question: the best relevance of its page and of any other one.

    `opened` says that the gate opened, `right` that it did so on the page, and `quoted`
    which sentence of the page would be quoted first: whoever asks reads whether it
    answers.
    """

    own: float
    other: float
    opened: bool
    right: bool
    quoted: str = ""

    def rank(self, asked: Labelled) -> int:
        """How good that is: right, refused though a page answers, answered wrongly."""
        fine = self.right if asked.page is not None else not self.opened
        return 2 if fine else int(not self.opened)


def improves(
    sheet: Sequence[Labelled], before: Sequence[Seen], after: Sequence[Seen]
) -> bool:
    """Whether some question comes out better, and none worse."""
    steps = [
        then.rank(asked) - was.rank(asked)
        for asked, was, then in zip(sheet, before, after, strict=True)
    ]
    return max(steps, default=0) > 0 and min(steps) >= 0


@dataclass(slots=True)
class Proposal:
    """What is proposed, and what came of each question before and with it."""

    changes: Changes
    before: list[Seen] = field(default_factory=list)
    after: list[Seen] = field(default_factory=list)


def read_questions(file: Path) -> list[Labelled]:
    """Questions from a file: one a line, " | ", and the page that answers it.

    Raises:
        UsageError: the file cannot be read, or a line names no page.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} cannot be read: {error}") from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        text, _, page = (part.strip() for part in line.rpartition(SEPARATOR))
        if not text or not page:
            raise UsageError(
                f"{file}, line {number}: write QUESTION{SEPARATOR}PAGE with the title "
                f"or id of the page that answers it, or {NOTHING} where none does"
            )
        found.append(Labelled(text, None if page == NOTHING else page))
    if not found:
        raise UsageError(f"{file} holds no question")
    return found


@dataclass(slots=True)
class Tuning:
    """A pack, its corpus, and the labelled questions."""

    searcher: Searcher
    statistics: CorpusStatistics
    today: date
    members: Sequence[Membership]
    texts: Mapping[str, str]
    _terms: dict[str, dict[str, Floats]] = field(default_factory=dict)

    async def see(self, pack: Pack, asked: Labelled) -> Seen:
        """What comes of a question under a pack."""
        question = Question(id="tune", session="tune", text=asked.text, pack=pack.id)
        intent = intents.read(question, pack, self.statistics, self.today)
        found = await self.searcher.search(question, intent, pack, self.statistics)
        decision = decide(found, intent, pack, pack.register())
        opened = decision.chunks if isinstance(decision, Open) else ()
        page = None if asked.page is None else self.page(asked.page)
        own, other = 0.0, 0.0
        for chunk in (*found.chunks, *found.nearest):
            if chunk.document == page:
                own = max(own, chunk.relevance)
            else:
                other = max(other, chunk.relevance)
        right = next((chunk for chunk in opened if chunk.document == page), None)
        quoted = ""
        if right is not None and right.picks:
            quoted = quotation(right, right.picks[0].sentence).text(right)
        return Seen(own, other, bool(opened), right is not None, quoted)

    def page(self, named: str) -> str:
        """The id of a page by its id, its title or the end of its path.

        Raises:
            UsageError: no page or several are called that.
        """
        found = {
            m.document
            for m in self.members
            if m.document == named
            or m.title.casefold() == named.casefold()
            or f"/{m.path}".endswith(f"/{named}")
        }
        if len(found) != 1:
            told = "no page" if not found else f"{len(found)} pages"
            raise UsageError(
                f"{told} of this corpus answers to {named!r}: write its title or id as "
                "`python -m bot sources` lists it"
            )
        return found.pop()

    async def propose(self, pack: Pack, sheet: Sequence[Labelled]) -> Proposal:
        """Glossary lines one by one, then numbers, then lines that need both."""
        before = [await self.see(pack, asked) for asked in sheet]
        made = Proposal(Changes({}, {}), before, before)
        lines = [
            line
            for asked, seen in zip(sheet, before, strict=True)
            if asked.page is not None and not seen.right
            if (line := await self._word(pack, asked, seen))
        ]
        for line in lines:
            made = await self._tried(pack, sheet, made, line)
        made = await self._tried(pack, sheet, made, {}, numbers=True)
        for line in lines:
            if not line.items() <= made.changes.glossary.items():
                made = await self._tried(pack, sheet, made, line, numbers=True)
        return made

    async def _tried(
        self,
        pack: Pack,
        sheet: Sequence[Labelled],
        made: Proposal,
        line: Mapping[str, tuple[str, ...]],
        *,
        numbers: bool = False,
    ) -> Proposal:
        """What is proposed with a line or numbers more; as before if no better."""
        held = {word: tuple(said) for word, said in made.changes.glossary.items()}
        glossary = {**held, **line}
        richer = _with(pack, glossary)
        found = dict(made.changes.numbers)
        if numbers:
            near = [await self.see(richer, asked) for asked in sheet]
            found = thresholds(richer, sheet, near) or found
        changes = Changes(glossary, found)
        if changes == made.changes:
            return made
        changed = _set(richer, found) if found else richer
        after = [await self.see(changed, asked) for asked in sheet]
        if improves(sheet, made.after, after):
            return Proposal(changes, made.before, after)
        return made

    async def _word(
        self, pack: Pack, asked: Labelled, seen: Seen
    ) -> dict[str, tuple[str, ...]]:
        """The word of a question that its page calls otherwise; empty for none."""
        page = self.page(asked.page or "")
        held = {stem(word) for word in words(self.texts[page])}
        best, found = (
            (seen.rank(asked), seen.own + NEARER),
            dict[str, tuple[str, ...]](),
        )
        for word in _lacking(asked.text, held, pack.retrieval.glossary):
            for meaning in self._meanings(word, page):
                tried: dict[str, tuple[str, ...]] = {word: (meaning,)}
                then = await self.see(_with(pack, tried), asked)
                if (then.rank(asked), then.own) > best:
                    best, found = (then.rank(asked), then.own), tried
        return found

    def _meanings(self, word: str, page: str) -> list[str]:
        """What a page may call a word: its words and short lines, nearest first."""
        embedder = self.searcher.embedder
        if page not in self._terms:
            terms = _terms(self.texts[page])
            vectors = [one.vector for one in embedder.encode(terms)]
            self._terms[page] = dict(zip(terms, vectors, strict=True))
        asked = embedder.encode_question(word).vector
        near = {term: float(v @ asked) for term, v in self._terms[page].items()}
        return sorted(near, key=lambda term: (-near[term], term))[:MOST_MEANINGS]


def thresholds(
    pack: Pack, sheet: Sequence[Labelled], seen: Sequence[Seen]
) -> dict[str, float]:
    """Numbers under which more of the questions come out right; empty for none.

    One relevance for the opening by a single document, and nothing above it. The pack's
    floors hold; of equally good ones the nearest to the present one wins.
    """
    alone = [at for at, one in enumerate(pack.gate.openings) if one.documents == 1]
    if not alone:
        return {}
    now = pack.gate.openings[alone[-1]].relevance

    def worth(bound: float) -> int:
        total = 0
        for asked, one in zip(sheet, seen, strict=True):
            total += asked.page is not None and one.own >= bound
            total -= WRONG * (asked.page is None and one.other >= bound)
        return total

    for bound in sorted(GRID, key=lambda g: (-worth(g), abs(g - now))):
        if worth(bound) <= worth(now):
            return {}
        numbers = {f"gate.openings[{alone[-1]}].relevance": bound}
        numbers |= {
            f"gate.{name}": bound
            for name in ("used", "answerability", "best")
            if getattr(pack.gate, name) > bound
        }
        try:
            _set(pack, numbers)
        except ValidationError:
            continue  # below a floor
        return numbers
    return {}


def _with(pack: Pack, glossary: Mapping[str, tuple[str, ...]]) -> Pack:
    """The pack with glossary lines more."""
    rules = pack.retrieval
    merged = {**rules.glossary, **glossary}
    return pack.model_copy(
        update={"retrieval": rules.model_copy(update={"glossary": merged})}
    )


def _set(pack: Pack, numbers: Mapping[str, float]) -> Pack:
    """The pack with other numbers, checked against its floors."""
    data = pack.model_dump()
    for name, value in numbers.items():
        if name.startswith("gate.openings["):
            at = int(name.partition("[")[2].partition("]")[0])
            data["gate"]["openings"][at]["relevance"] = value
        else:
            data["gate"][name.removeprefix("gate.")] = value
    return Pack.model_validate(data)


def _lacking(
    text: str, held: set[str], glossary: Mapping[str, object]
) -> Iterable[str]:
    """The words of a question that its page does not hold and nobody has explained."""
    found = dict.fromkeys(
        word
        for word in words(text)
        if word.isalpha()
        and len(word) >= SHORTEST
        and word not in STOPWORDS
        and word not in glossary
        and stem(word) not in held
    )
    return list(found)[:MOST_WORDS]


def _terms(page: str) -> list[str]:
    """The words of a page and its shortest lines, the most frequent ones."""
    short = (words(line.lstrip("#")) for line in page.splitlines())
    lines = (" ".join(line) for line in short if 1 <= len(line) <= LONGEST_MEANING)
    plain = (w for w in words(page) if w.isalpha() and w not in STOPWORDS)
    counted = Counter(t for t in (*lines, *plain) if len(t) >= SHORTEST)
    return [term for term, _ in counted.most_common(MOST_TERMS)]
