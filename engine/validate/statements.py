"""One statement of a draft, judged: what of it may be shown, and on which passages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from engine.records import Finding, Quote
from engine.validate.citations import Passage, Statement
from engine.validate.claims import Judgement, Verdict, introduces, judge, unframed
from engine.validate.figures import Kind, Row, Token, tokens
from engine.validate.ground import Ground
from engine.validate.grounds import Grounds, grounds
from engine.validate.literal import differs
from engine.validate.markup import foreign, inert, unseen
from engine.validate.material import Material, normal, plain
from engine.validate.parts import Part, repeats, stating
from engine.validate.prose import Found, Reading, read
from engine.validate.quotes import Anchored, anchor, quotations

LONGEST_STATEMENT = 4_000  # characters; nothing that long is one sentence
MOST_SENTENCES = 8  # of one claim that are also judged two by two
EXCERPT = 120  # characters of a statement that a finding shows
_LEANING = frozenset({("it",), ("they",), ("its",), ("their",), ("these",), ("this",)})
_STOP = Token(Kind.LINK, ";")
_RANKS = {Verdict.UNSUPPORTED: 0, Verdict.PARTIAL: 1, Verdict.SUPPORTED: 2}


@dataclass(slots=True)
class Bench:
    """Judges the statements of one draft, and counts.

    `lost` counts cited statements of which nothing is left. `unanchored` of
    `quotations` did not stand in their source.
    """

    material: Material
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    quotations: int = 0
    unanchored: int = 0
    lost: int = 0
    _grounds: dict[int, Grounds] = field(default_factory=dict)
    _before: tuple[Passage, ...] | None = None

    @property
    def _asked(self) -> frozenset[Token]:
        return frozenset(self.material.asked)

    def open_section(self) -> None:
        """Begin a section, in which an "it" has nothing before it yet."""
        self._before = ()

    def judge_all(self, listed: Sequence[Statement], shown: list[Quote]) -> list[Part]:
        """What of the statements of one claim may be shown.

        Two sentences that only together say what their source says are judged as one.
        """
        parts: list[Part] = []
        at = 0
        while at < len(listed):
            few = len(listed) <= MOST_SENTENCES
            pair = _together(listed[at : at + 2]) if few else None
            alone = pair is None or all(self._holds(s) for s in listed[at : at + 2])
            if pair is not None and not alone and self._holds(pair):
                parts += self.judge(pair, shown)
                at += 2
            else:
                parts += self.judge(listed[at], shown)
                at += 1
        return parts

    def judge(self, statement: Statement, shown: list[Quote]) -> list[Part]:
        """What of a statement may be shown; empty where nothing may.

        Args:
            statement: its evidence numbers are known to exist.
            shown: what its section quotes already; quotes of the returned parts are
                added.
        """
        if len(statement.text) > LONGEST_STATEMENT:
            parts = self._refused(statement, "claims", "too_long", "is too long")
        elif fixed := self._fixed(statement):
            parts = fixed
        elif not statement.citations:
            # R-V9: only a whole sentence of the pack's own needs no citation (R-M2).
            parts = self._refused(statement, "citations", "uncited", "cites nothing")
        elif statement.quotation:
            parts = self._quotation(statement, shown)
        else:
            parts = self._prose(statement, shown)
        if parts and not (parts := stating(parts, self.material)):
            why = "rests on a heading or a question, which states nothing"
            self._drop(statement, "citations", "no_statement", why)
        if statement.citations and not parts:
            self.lost += 1
        if parts or statement.citations:
            self._before = parts[-1].passages if parts else None
        fresh = [part for part in parts if not repeats(part, shown)]
        if len(fresh) < len(parts):
            self._note(statement, "quotes", "repeated", "was quoted before")
        shown += [quote for part in fresh for quote in part.quotes]
        return fresh

    # --- the three kinds --------------------------------------------------------------

    def _quotation(self, statement: Statement, shown: list[Quote]) -> list[Part]:
        self.quotations += 1
        found = self._find(statement, statement.text, shown)
        if found is None:
            inner = _unwrapped(statement.text)
            found = self._find(statement, inner, shown) if inner else None
        if found is None:
            self.unanchored += 1
            self.verdicts.append(Verdict.UNSUPPORTED)
            why = "is quoted, but does not stand word for word in its source"
            return self._refused(statement, "quotes", "unanchored", why)
        self.verdicts.append(Verdict.SUPPORTED)
        return [self._quoted(found)]

    def _fixed(self, statement: Statement) -> list[Part]:
        """The pack's own sentence, as the pack writes it, where this is one."""
        text = self.material.rules.fixed.get(normal(statement.text))
        return [Part(text)] if text and not statement.quotation else []

    def _prose(self, statement: Statement, shown: list[Quote]) -> list[Part]:
        reading = read(statement.text, lambda q: self._find(statement, q, shown))
        self.quotations += reading.total
        self.unanchored += reading.unanchored
        if reading.unanchored:
            why = "had quotation marks around words that its source does not hold"
            self._note(statement, "quotes", "unanchored", why)
        quoted = [self._quoted(found) for found in (*reading.whole, *reading.pieces)]
        if not self._showable(statement, reading):
            self.verdicts.append(Verdict.UNSUPPORTED)
            return quoted
        names = self._names(statement)
        said = self._said(statement, reading.said, names)
        if quoted and introduces(said, names):
            self.verdicts.append(Verdict.SUPPORTED)
            return quoted
        judged = self._judged(statement, reading.said)
        best = max(judged.values(), key=lambda j: (_RANKS[j.verdict], j.share))
        supported = best.verdict is Verdict.SUPPORTED
        self.verdicts.append(best.verdict)
        if supported and self._dangles(said, judged):
            why = "leans on a sentence that is not shown before it"
            return quoted or self._refused(statement, "claims", "leaning", why)
        if supported:
            pieces = quoted[len(reading.whole) :]
            return [self._supported(statement, reading, judged), *pieces]
        quoted = quoted or self._rewritten(best, judged, shown)
        code, why = best.verdict.lower(), best.explanation
        if not quoted:
            return self._refused(statement, "claims", code, why)
        self._note(statement, "claims", code, f"{why}; its source is quoted instead")
        return quoted

    def _dangles(self, said: Row, judged: Mapping[int, Judgement]) -> bool:
        """Whether an "it" of the statement has lost what the source means by it.

        What is shown before it must come from the sentence before in the source, or
        from the same one. Where nothing is, it stands for what was asked, which the
        source then names: a heading may be that of another source.
        """
        if not said or said[0].lead[:1] not in _LEANING:
            return False
        for number, judgement in judged.items():
            if judgement.verdict is not Verdict.SUPPORTED or judgement.ground is None:
                continue
            own = judgement.ground.row[0].lead[:1] if judgement.ground.row else ()
            if self._before == () and own not in _LEANING:
                return False
            run, ground = self.material.chunks[number - 1].sentences, judgement.ground
            start, end = run[max(0, ground.first - 1)].start, run[ground.last].end
            if any(
                passage.number == number and passage.start < end and start < passage.end
                for passage in self._before or ()
            ):
                return False
        return True

    # --- quotations -------------------------------------------------------------------

    def _find(
        self, statement: Statement, text: str, shown: Sequence[Quote]
    ) -> Found | None:
        """The quotation in the first cited passage that holds it, and all that do."""
        first: Anchored | None = None
        passages: list[Passage] = []
        for number in statement.citations:
            chunk = self.material.chunks[number - 1]
            anchored = anchor(text, chunk, self.material.folded[chunk.id], shown)
            if anchored is not None:
                quote = anchored.quote
                first = first or anchored
                passages.append(Passage(number, quote.start, quote.end))
        return Found(first, tuple(passages)) if first else None

    def _quoted(self, found: Found) -> Part:
        quote = found.anchored.quote
        return Part(
            text=quote.text,
            passages=found.passages,
            quotes=(quote,),
            quotation=True,
            sensitive=self._sensitive(quote.text),
        )

    def _sensitive(self, text: str) -> bool:
        material = self.material
        return material.rules.sensitive(text, intended=material.intended)

    # --- prose ------------------------------------------------------------------------

    def _showable(self, statement: Statement, reading: Reading) -> bool:
        """Whether nothing forbids to show the prose, however well it is supported."""
        rules = self.material.rules
        slices = [found.anchored.quote.text for found in reading.whole]
        if unseen(reading.said):
            why = "holds invisible characters"
            self._drop(statement, "markup", "invisible", why)
        elif addresses := foreign(reading.said, rules.links):
            why = f"holds an address outside the sources: {addresses[0][:EXCERPT]}"
            self._drop(statement, "markup", "foreign_address", why)
        elif rules.phrases.found(reading.shown, slices):
            why = "holds a phrase that the pack prohibits"
            self._drop(statement, "phrases", "prohibited", why)
        else:
            return True
        return False

    def _said(self, statement: Statement, text: str, names: frozenset[Token]) -> Row:
        """The tokens of what is said, without an opening that names its source."""
        row: Row = ()
        for sentence in statement.sentences or (text,):
            joint = (_STOP,) if row else ()
            row = (*row, *joint, *tokens(unframed(plain(sentence), names)))
        return row

    def _names(self, statement: Statement) -> frozenset[Token]:
        """How the cited sources are called."""
        cited = (self._ground(number).names for number in statement.citations)
        return frozenset[Token]().union(*cited)

    def _holds(self, statement: Statement) -> bool:
        """Whether one of the cited chunks supports the statement."""
        known = range(1, len(self.material.chunks) + 1)
        if any(number not in known for number in statement.citations):
            return False
        judged = self._judged(statement, statement.text)
        return any(j.verdict is Verdict.SUPPORTED for j in judged.values())

    def _judged(self, statement: Statement, text: str) -> dict[int, Judgement]:
        """The judgement of each cited chunk on what is said, by its number."""
        lexicon, found = self.material.rules.lexicon, dict[int, Judgement]()
        for number in statement.citations:
            ground = self._ground(number)
            # "According to A" is no opening of what B says, though both are cited.
            said = self._said(statement, text, ground.names)
            judged = judge(said, lexicon, ground, self._asked)
            found[number] = self._as_written(plain(text), number, judged)
        return found

    def _as_written(self, said: str, number: int, judged: Judgement) -> Judgement:
        """No support for what its source writes otherwise, whatever its words say."""
        if judged.verdict is not Verdict.SUPPORTED or judged.ground is None:
            return judged
        chunk = self.material.chunks[number - 1]
        passage = self._passage(number, judged.ground)
        text = chunk.text[passage.start - chunk.start : passage.end - chunk.start]
        why = differs(
            said, plain(text), plain("\n".join((chunk.title, *chunk.section)))
        )
        if not why:
            return judged
        return replace(judged, verdict=Verdict.PARTIAL, explanation=why)

    def _ground(self, number: int) -> Grounds:
        if number not in self._grounds:
            self._grounds[number] = grounds(self.material.chunks[number - 1], plain)
        return self._grounds[number]

    def _supported(
        self, statement: Statement, reading: Reading, judged: Mapping[int, Judgement]
    ) -> Part:
        """The sentence itself, cited to the passages that support it and no others."""
        material = self.material
        passages = [
            self._passage(number, judgement.ground)
            for number, judgement in judged.items()
            if judgement.verdict is Verdict.SUPPORTED and judgement.ground
        ]
        passages += [p for found in reading.whole for p in found.passages]
        supporting = {passage.number for passage in passages}
        if unused := [str(n) for n in statement.citations if n not in supporting]:
            why = f"cites {', '.join(unused)}, which does not support it"
            self._note(statement, "citations", "unsupporting", why)
        return Part(
            text=inert(reading.shown.strip(), material.rules.links),
            passages=tuple(passages),
            quotes=tuple(found.anchored.quote for found in reading.whole),
            sensitive=self._sensitive(reading.shown),
        )

    def _passage(self, number: int, ground: Ground) -> Passage:
        run = self.material.chunks[number - 1].sentences
        return Passage(number, run[ground.first].start, run[ground.last].end)

    def _text(self, number: int, ground: Ground) -> str:
        chunk, passage = self.material.chunks[number - 1], self._passage(number, ground)
        return chunk.text[passage.start - chunk.start : passage.end - chunk.start]

    def _rewritten(
        self, best: Judgement, judged: Mapping[int, Judgement], shown: Sequence[Quote]
    ) -> list[Part]:
        """What the source does say, in place of a claim that goes beyond it (R-V4)."""
        if best.ground is None:
            return []
        number = next(n for n, judgement in judged.items() if judgement is best)
        text = self._text(number, best.ground)
        found = self._find(Statement(text, (number,)), text, shown)
        return [self._quoted(found)] if found else []

    # --- findings ---------------------------------------------------------------------

    def _refused(
        self, statement: Statement, validator: str, code: str, why: str
    ) -> list[Part]:
        """Drop the statement: nothing of it may be shown."""
        self._drop(statement, validator, code, why)
        return []

    def _drop(self, statement: Statement, validator: str, code: str, why: str) -> None:
        self.findings.append(finding(validator, code, "drop", why, statement.text))

    def _note(self, statement: Statement, validator: str, code: str, why: str) -> None:
        self.findings.append(finding(validator, code, "note", why, statement.text))


def finding(
    validator: str,
    code: str,
    severity: Literal["reject", "drop", "note"],
    message: str,
    text: str = "",
) -> Finding:
    """A finding about `text`, which it shows the beginning of."""
    excerpt = text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "\u2026"
    return Finding(
        validator=validator,
        code=code,
        severity=severity,
        message=message,
        claim=excerpt,
    )


def _together(pair: Sequence[Statement]) -> Statement | None:
    """Two sentences of one claim as one statement, where they cite the same."""
    if len(pair) < 2 or pair[0].citations != pair[1].citations:
        return None
    one, two = pair
    long = len(one.text) + len(two.text) > LONGEST_STATEMENT
    if long or not one.citations or quotations(one.text) or quotations(two.text):
        return None
    text = f"{one.text} {two.text}"
    return Statement(text, one.citations, sentences=(one.text, two.text))


def _unwrapped(text: str) -> str:
    """What a text quotes that is all one quotation; nothing where it is more."""
    marked = quotations(text.strip())
    whole = len(marked) == 1 and len(text.strip()) == marked[0].end - marked[0].start
    return marked[0].inner if whole else ""
