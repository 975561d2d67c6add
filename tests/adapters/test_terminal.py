"""A reply on a terminal, in a pipe, in a narrow window, without colours."""

import io

import pytest
from rich.console import Console

from adapters.reply import compose
from adapters.terminal import Terminal, make_console
from engine.model.outcome import Outcome
from tests.adapters.outcomes import (
    POINTING,
    TODAY,
    WORDING,
    answered,
    chunk,
    listing,
    parted,
    pointed,
    refused,
)

TEXT = (
    "Rinse the mouth four times a day with one litre of water that holds salt.\n"
    "-Use a soft brush that was kept in warm water for some minutes before.\n"
    "`ros2 run    demo --with-a-very-long-option=value --and-another-option=value"
)


class Pipe(io.StringIO):
    encoding = "utf-8"


def piped(of: Outcome, *, why: bool = False) -> str:
    out = Pipe()
    Terminal(make_console(out), "groundrule").show(compose(of, WORDING, TODAY), why=why)
    return out.getvalue()


def shown(of: Outcome, width: int, encoding: str = "utf-8") -> str:
    """What a terminal of that width gets."""
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding, errors="replace")
    made = Console(file=out, force_terminal=True, width=width, no_color=True)
    Terminal(made, "groundrule").show(compose(of, WORDING, TODAY), why=True)
    out.flush()
    return raw.getvalue().decode(encoding)


def test_a_refusal_ends_with_its_homepages_R_M5() -> None:
    """Title and address, in one line."""
    out = Pipe()
    Terminal(make_console(out), "groundrule").show(compose(pointed(), POINTING, TODAY))
    assert (
        "See also: An Institute https://institute.example/; "
        "A Society https://society.example/cancer\n\n"
    ) in out.getvalue()


def test_a_pipe_gets_whole_lines_and_no_colour() -> None:
    """A quote stands on one line, so that other programs can find it."""
    text = piped(answered(chunk(TEXT)))
    assert "\x1b" not in text
    lines = text.splitlines()
    assert "A Hospital writes in Mouth care > At home:" in lines
    assert (
        "│ Rinse the mouth four times a day with one litre of water that holds salt."
        in lines
    )
    assert (
        "│ • Use a soft brush that was kept in warm water for some minutes before."
        in lines
    )
    assert (
        "│     ros2 run    demo --with-a-very-long-option=value"
        " --and-another-option=value" in lines
    )


def test_code_keeps_the_layout_of_its_source_R_A14() -> None:
    """The first line is indented as the others are; empty lines around it are gone."""
    method = "    def above(self):\n        return self.level > 2\n"
    source = f"Alarms are few.\n{method}"
    held = chunk("Alarms are few.\n`    def above(self):").model_copy(
        update={"text": source, "end": len(source)}
    )
    told, code = held.sentences
    code = code.model_copy(update={"start": code.start - 1, "end": len(source)})
    text = piped(answered(held.model_copy(update={"sentences": (told, code)})))
    assert "│         def above(self):\n│             return self.level > 2\n" in text


def test_what_a_quotation_leaves_out_is_marked_R_A14() -> None:
    """On a line of its own, inside the bar."""
    assert "│ Do this:\n│ […]\n│ • Take water. [1]\n" in piped(listing())


def test_an_answer_ends_with_sources_and_the_id_to_verify_it_by_R_D3() -> None:
    """Number, title, publisher, section, date, age, link, and the command."""
    text = piped(answered(chunk(TEXT)))
    assert "[1] Mouth care (A Hospital)" in text
    assert "    published 2026-01-10, 10 months old" in text
    assert "    https://example.org/d1\n    At home\n" in text
    check = "To check this answer later: groundrule verify a-1"
    assert text.rstrip().endswith(check)
    out = Pipe()
    shown = compose(answered(chunk(TEXT)), WORDING, TODAY)
    Terminal(make_console(out), "groundrule").sources(shown)
    assert out.getvalue().rstrip().endswith(check)
    assert "To check this reply later: groundrule verify a-1" in piped(refused())


def test_a_document_is_listed_once_R_D5() -> None:
    """With all its numbers, and its sections with theirs."""
    away = chunk("Brush.", "c2").model_copy(update={"section": ("Away",)})
    again = chunk("Wait.", "c3").model_copy(update={"section": ("Away",)})
    text = piped(answered(chunk("Rinse."), away, again))
    assert "[1] [2] [3] Mouth care (A Hospital)\n" in text
    assert "    [1] At home\n    [2] [3] Away\n" in text


@pytest.mark.parametrize("width", [10, 20, 40, 80])
def test_a_narrow_terminal_loses_no_word(width: int) -> None:
    """Lines are wrapped inside the bar; every word of the quote is there."""
    text = shown(answered(chunk(TEXT)), width)
    words = [word for line in text.splitlines() for word in line.strip("│ ").split()]
    assert set(TEXT.split("\n")[0].split()) <= set(words)


def test_a_wide_quote_keeps_its_bar_on_every_line() -> None:
    """A reader sees where the quotation ends."""
    lines = shown(answered(chunk(TEXT)), 40).splitlines()
    start = next(n for n, line in enumerate(lines) if "Rinse" in line)
    assert all(line.startswith("│ ") for line in lines[start : start + 4])


def test_a_terminal_without_unicode_gets_ascii_marks() -> None:
    """Bars and bullets are replaced, nothing fails."""
    text = shown(answered(chunk(TEXT)), 80, "ascii")
    assert "| Rinse" in text
    assert "| - Use" in text


def test_a_refusal_shows_its_reason_only_on_request_R_D5() -> None:
    """The numbers and the nearest passages stand behind why."""
    brief = piped(refused())
    assert "how close" not in brief
    assert "To see what came close: ask again with --why\n" in brief
    text = piped(refused(), why=True)
    assert "To see what" not in text
    assert "Nothing comes close enough. (LOW_SCORE)" in text
    assert "how close: 0.21 of the 0.70 needed" in text
    assert "• Nearby > A part (0.21)" in text
    assert "What would help" in text


def test_markup_of_a_document_is_text_R_V7() -> None:
    """Rich's own tags and emoji codes are shown as they stand."""
    text = piped(answered(chunk("Use [bold]salt[/bold] :warning: [link=x]y[/link].")))
    assert "Use [bold]salt[/bold] :warning: [link=x]y[/link]." in text


def test_a_numbered_item_keeps_its_own_mark() -> None:
    """No bullet stands before "1."."""
    lines = piped(answered(chunk("Do this:\n-1. Rinse.\n-Rest."))).splitlines()
    assert "│ 1. Rinse." in lines
    assert "│ • Rest. [1]" in lines


def test_the_rest_of_an_answer_is_shown_on_demand_R_A3() -> None:
    """One line says how; then it is the rest alone, with how to check it."""
    reply, out = compose(parted(False, True), WORDING, TODAY), Pipe()
    terminal = Terminal(make_console(out), "groundrule", rest="/more")
    terminal.show(reply)
    assert "Step 1." in out.getvalue()
    assert "Step 2." not in out.getvalue()
    assert out.getvalue().count("To see the rest: /more\n") == 1
    out.truncate(0)
    terminal.more(reply)
    assert "│ Step 2. [2]\n" in out.getvalue()
    assert "Step 1." not in out.getvalue()
    assert "Sources" not in out.getvalue()


def test_an_answer_without_a_rest_offers_none_R_A3() -> None:
    """Nor has it one to show."""
    reply, out = compose(parted(False, False), WORDING, TODAY), Pipe()
    Terminal(make_console(out), "groundrule").show(reply)
    assert "To see the rest" not in out.getvalue()
    Terminal(make_console(out), "groundrule").more(reply)
    assert "There is no more of this reply." in out.getvalue()
