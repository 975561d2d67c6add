"""The terminal as a platform: a `Reply` rendered with rich.

On a terminal lines are wrapped to its width; in a pipe each paragraph and each line of
code is one line, so that other programs can search and compare them. rich handles
colours (`NO_COLOR`, dumb terminals) and widths.
"""

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TextIO

import re2
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from adapters.layout import each
from adapters.reply import (
    DID_YOU_MEAN,
    NONE_OF_THESE,
    Banner,
    Block,
    Heading,
    Homepage,
    Paragraph,
    Piece,
    Quotation,
    Reply,
)
from adapters.sources import CitedDocument, documents

WIDEST = 100  # columns; longer lines are hard to read
NEARBY = "ask again with --why"  # the command that shows close pages
_NUMBERED = re2.compile(r"\(?(?:\d{1,3}|[a-zA-Z])[.)] ")  # brings its own mark
_BANNER_STYLES = {"header": "dim", "notice": "yellow", "understood": "dim italic"}


@dataclass(frozen=True, slots=True)
class Marks:
    """The characters beyond ASCII, where the terminal can show them."""

    bar: str
    bullet: str


UNICODE = Marks(bar="│ ", bullet="• ")
ASCII = Marks(bar="| ", bullet="- ")


def make_console(file: TextIO) -> Console:
    """Make a console that never interprets markup or emoji in a text."""
    made = _Console(file=file, markup=False, highlight=False, emoji=False)
    if made.is_terminal and made.width > WIDEST:
        made.width = WIDEST
    return made


class _Console(Console):
    """A console that leaves a closed pipe to the program, which has its exit codes."""

    def on_broken_pipe(self) -> None:
        """Raise, where rich would end the program with 1.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def join_links(links: Iterable[tuple[str, str]]) -> str:
    """Join the homepages of a refusal, by title and address, in one line."""
    return f"See also: {'; '.join(f'{title} {url}' for title, url in links)}"


class Terminal:
    """A renderer of replies on one console.

    Args:
        out: where replies go.
        program: the command of this program, for the hint to verify an answer.
        nearby: how to see close pages, in place of the button "Why?".
        rest: how to see the rest of an answer, in place of "Show more".
        choose: how to ask a choice of a refusal, with {audit_id}; None where a number
            is enough.
    """

    def __init__(
        self,
        out: Console,
        program: str,
        nearby: str = NEARBY,
        rest: str = "ask again with --full",
        choose: str | None = "{program} ask --choose {audit_id}.NUMBER",
    ) -> None:
        self._out = out
        self._program = program
        self._nearby = nearby
        self._rest = rest
        self._choose = choose
        utf8 = out.encoding.lower().startswith("utf")
        self._marks = UNICODE if utf8 else ASCII

    def show(self, reply: Reply, *, why: bool = False) -> None:
        """Print a reply: banners, body, sources, the id to verify it by."""
        for banner in reply.banners:
            self._print_banner(banner)
        self._print_blocks(reply.body)
        if reply.more:
            self._print_line(Text(f"To see the rest: {self._rest}", style="dim"))
            self._print_line()
        if reply.selected_by:
            self._print_line(Text(reply.selected_by, style="dim"))
            self._print_line()
        if reply.choices:
            self._print_choices(reply)
            self._print_line()
        if reply.links:
            self._print_links(reply.links)
            self._print_line()
        if reply.sources:
            self._print_sources(reply)
            self._print_line()
        if why:
            self.why(reply)
            self._print_line()
        elif reply.why.nearest and not reply.answered:
            self._print_line(
                Text(f"To see what came close: {self._nearby}", style="dim")
            )
        self._print_check(reply)

    def more(self, reply: Reply) -> None:
        """Print the rest of an answer."""
        if not reply.more:
            self._print_line(Text("There is no more of this reply."))
            return
        self._print_blocks(reply.more)
        self._print_check(reply)

    def sources(self, reply: Reply) -> None:
        """Print the numbered sources of a reply, and how to check it."""
        if not reply.sources:
            self._print_line(Text("This reply cites no sources."))
            return
        self._print_sources(reply)
        self._print_check(reply)

    def why(self, reply: Reply) -> None:
        """Print the explanation of the decision, with its code, and close pages."""
        why = reply.why
        self._print_line(Text("Why", style="bold"))
        code = f" ({why.code})" if why.code else ""
        self._print_line(Text(f"{why.verdict}{code}"), indent="  ")
        if why.nearest:
            self._print_line(Text("Pages that came close:"), indent="  ")
        for near in why.nearest:
            shown = f"{near.title} > {near.section}" if near.section else near.title
            self._print_line(
                Text(f"{self._marks.bullet}{shown} ({near.relevance:.2f})"), indent="  "
            )
            if near.url:
                self._print_line(Text(near.url, style="dim"), indent="    ")
        if why.helps:
            self._print_line(Text(f"What would help: {why.helps}"), indent="  ")
        for name, value in why.numbers:
            self._print_line(Text(f"{name}: {value}", style="dim"), indent="  ")

    def _print_banner(self, banner: Banner) -> None:
        if banner.kind == "emergency" and self._out.is_terminal:
            self._out.print(Panel(Text(banner.text), border_style="bold red"))
        else:
            style = _BANNER_STYLES.get(banner.kind, "bold red")
            self._print_line(Text(banner.text, style=style))
        self._print_line()

    def _print_blocks(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            self._print_block(block)
            self._print_line()

    def _print_block(self, block: Block) -> None:
        match block:
            case Heading():
                self._print_line(Text(block.text, style="bold"))
            case Paragraph():
                self._print_line(_add_numbers(Text(block.text), block.numbers))
            case Quotation():
                for line, hang in _list_lines(block, self._marks):
                    bar = Text(self._marks.bar, style="cyan")
                    self._print_line(line, lead=bar, hang=hang)

    def _print_choices(self, reply: Reply) -> None:
        """Print the choices of a refusal with their numbers."""
        self._print_line(Text(DID_YOU_MEAN, style="bold"))
        for offered in reply.choices:
            self._print_line(
                Text(f"{offered.number}. {offered.label}"), indent="  ", hang=3
            )
        self._print_line(Text(f"0. {NONE_OF_THESE}"), indent="  ", hang=3)
        if self._choose is not None:
            command = self._choose.format(
                program=self._program, audit_id=reply.audit_id
            )
            self._print_line(Text(f"To ask one: {command}", style="dim"))

    def _print_links(self, links: Iterable[Homepage]) -> None:
        self._print_line(Text(join_links((link.title, link.url) for link in links)))

    def _print_check(self, reply: Reply) -> None:
        if reply.audit_id:
            kind = "answer" if reply.answered else "reply"
            command = f"{self._program} verify {reply.audit_id}"
            hint = f"To check this {kind} later: {command}"
            self._print_line(Text(hint, style="dim"))

    def _print_sources(self, reply: Reply) -> None:
        self._print_line(Text("Sources", style="bold"))
        for document in documents(reply.sources):
            self._print_document(document)
        if reply.demo_label:
            self._print_line(Text(reply.demo_label, style="yellow"))

    def _print_document(self, cited: CitedDocument) -> None:
        title = f"{each(cited.numbers)} {cited.title}"
        publisher = f" ({cited.publisher})" if cited.publisher else ""
        demo = " [demo text]" if cited.demo else ""
        self._print_line(Text(title + publisher + demo), hang=4)
        self._print_line(Text(cited.dated, style="dim"), indent="    ")
        if cited.url:
            self._print_line(Text(cited.url, style="dim"), indent="    ")
        several = len(cited.places) > 1
        for place in cited.places:
            marks = f"{each(place.numbers)} " if several else ""
            if place.section:
                self._print_line(
                    Text(f"{marks}{place.section}", style="dim"), indent="    "
                )

    def _print_line(
        self,
        text: Text | None = None,
        *,
        indent: str = "",
        lead: Text | None = None,
        hang: int = 0,
    ) -> None:
        """Print one paragraph, with `lead` or an indent before every line."""
        if text is None:
            self._out.print()
            return
        start = lead or Text(indent)
        for number, line in enumerate(self._wrap(text, len(start), hang)):
            line.rstrip()
            gap = " " * hang if number else ""
            self._out.print(Text.assemble(start, gap, line), soft_wrap=True)

    def _wrap(self, text: Text, taken: int, hang: int) -> Iterable[Text]:
        if not self._out.is_terminal or text.no_wrap:
            return text.split("\n", allow_blank=True)
        width = max(20, self._out.width - taken - hang)
        return text.wrap(self._out, width)


def _add_numbers(text: Text, numbers: Iterable[int]) -> Text:
    marks = ", ".join(str(number) for number in numbers)
    if not marks:
        return text
    gap = " " if text.plain else ""
    return Text.assemble(text, gap, (f"[{marks}]", "cyan"))


def _list_lines(quotation: Quotation, marks: Marks) -> Iterator[tuple[Text, int]]:
    """List the lines of a quotation with hanging indents; the last has the numbers."""
    last = len(quotation.pieces) - 1
    for number, piece in enumerate(quotation.pieces):
        numbers = quotation.numbers if number == last else ()
        if piece.form == "code":
            for line in piece.text.expandtabs(4).split("\n"):
                yield Text("    " + line, no_wrap=True), 0
            if numbers:
                yield _add_numbers(Text(), numbers), 0
        else:
            shown, hang = _style_piece(piece, marks)
            yield _add_numbers(shown, numbers), hang


def _style_piece(piece: Piece, marks: Marks) -> tuple[Text, int]:
    text = " ".join(piece.text.split())
    if piece.form == "item" and not _NUMBERED.match(text):
        return Text(marks.bullet + text), len(marks.bullet)
    return Text(text, style="bold" if piece.form == "heading" else ""), 0
