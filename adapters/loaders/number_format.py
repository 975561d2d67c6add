"""Number formats of sheets: 0.25 under `0%` is shown as 25%, and 46000 as a day.

It covers the common part: sections by sign, digits, groups, per cent, powers of ten,
words and currencies beside the digits, days and times. Under a format with more
(fractions, conditions) the value is shown as stored.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

import re2

EXACT = 15  # digits of a number that a sheet keeps
# One token of a format: quoted words, an escaped character, a currency or language, an
# elapsed time, a colour, a blank of a character's width, a part of a date.
TOKEN = re2.compile(
    r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[0-9A-Fa-f]+)?\]|(\[(?i:h+|m+|s+)\])|(\[[^\]]*\])'
    r"|[_*].|((?i:am/pm|a/p))|((?i:y+|m+|d+|h+|s+(?:\.0+)?))|((?i:general))|(.)"
)
DIGITS = re2.compile(r"(?:[#0?][#0?,]*(?:\.[#0?]*)?|\.[#0?]+),*")
DAYS_BY_PLACE = ("mm-dd-yy", "m/d/yy", "m/d/yyyy", "m/d/yy h:mm", "m/d/yyyy h:mm")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
LITERAL, DIGIT, PART, ELAPSED, HALF, GENERAL, STRANGE = range(7)
DOTS = frozenset(".,")  # separators of dates too
Tokens = list[tuple[int, str]]


def format_value(value: object, form: str) -> str:
    """Format a value as a cell shows it; return "" where the format hides it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date | time | timedelta):
        return _format_moment(value, form)
    if isinstance(value, int | float):
        return _format_number(value, form)
    sections = _split_sections(form)
    if len(sections) == 4 and "@" not in form:
        return "".join(
            said for kind, said in _split_tokens(sections[3]) if kind == LITERAL
        )
    return str(value)


def _split_sections(form: str) -> list[str]:
    """Split a format into its sections for positive, negative, zero and text."""
    parts, quoted, last = [""], False, ""
    for character in form:
        quoted ^= character == '"' and last != "\\"
        if character == ";" and not quoted and last != "\\":
            parts.append("")
        else:
            parts[-1] += character
        last = character
    return parts


def _split_tokens(section: str) -> Tokens:
    """Split a section into tokens."""
    found: Tokens = []
    for token in TOKEN.finditer(section):
        quoted, plain, money, elapsed, bracket, half, part, general, other = (
            token.groups()
        )
        if bracket is not None:
            known = bracket[1:-1].lower().startswith(("color", *COLOURS))
            found += [] if known else [(STRANGE, bracket)]
        elif elapsed is not None:
            found.append((ELAPSED, elapsed.lower()))
        elif half is not None:
            found.append((HALF, half))
        elif part is not None:
            found.append((PART, part.lower()))
        elif general is not None:
            found.append((GENERAL, general))
        elif other is not None:
            found.append((DIGIT if other in "#0?.," else LITERAL, other))
        else:
            found.append((LITERAL, quoted or plain or money or ""))
    return found


COLOURS = ("black", "blue", "cyan", "green", "magenta", "red", "white", "yellow")


# --- numbers ----------------------------------------------------------------------


def _format_number(value: int | float, form: str) -> str:
    sections = _split_sections(form)
    at = 0
    if value < 0 and len(sections) > 1:
        at, value = 1, -value  # the section for negatives writes its own minus
    elif value == 0 and len(sections) > 2:
        at = 2
    section = sections[at]
    if not section.strip():
        return "" if ";" in form else format_general(value)
    tokens = _split_tokens(section)
    kinds = {kind for kind, _ in tokens}
    digits = "".join(said for kind, said in tokens if kind == DIGIT)
    said = "".join(said for kind, said in tokens if kind == LITERAL)
    if GENERAL in kinds:
        return "".join(
            format_general(value) if kind == GENERAL else text
            for kind, text in tokens
            if kind in {GENERAL, LITERAL}
        )
    strange = {STRANGE, PART, ELAPSED, HALF} & kinds or "/" in said
    if strange or said.strip() == "@":
        return format_general(value)
    if not digits:
        return said
    if "E" in said:
        decimals = section.upper().partition("E")[0].partition(".")[2]
        return f"{value:.{decimals.count('0')}E}"
    return _fill_digits(value, tokens, digits, said)


def _fill_digits(value: int | float, tokens: Tokens, digits: str, said: str) -> str:
    """Write a number with the digits of its format, between the words beside them."""
    exact = Decimal(repr(value)) * 100 ** said.count("%")
    if DIGITS.fullmatch(digits) is None:
        return format_general(value)
    kept = digits.rstrip(",")
    exact /= 1000 ** (len(digits) - len(kept))
    whole, _, decimals = kept.partition(".")
    exact /= 1000 ** (len(whole) - len(whole.rstrip(",")))
    grouped = "," in whole.rstrip(",")
    places = Decimal(1).scaleb(-len(decimals))
    rounded = abs(exact).quantize(places, rounding=ROUND_HALF_UP)
    text = f"{rounded:,f}" if grouped else f"{rounded:f}"
    before, dot, after = text.partition(".")
    least = whole.count("0")
    before = before.lstrip("0") if not least and before.strip("0") == "" else before
    before = before.rjust(least, "0")
    keep = len(decimals.rstrip("#"))
    while len(after) > keep and after.endswith("0"):
        after = after[:-1]
    number = f"{before}{dot}{after}" if decimals else before
    sign = "-" if exact < 0 and rounded else ""
    if _has_words_inside(tokens):
        return format_general(value)
    first = next(at for at, token in enumerate(tokens) if token[0] == DIGIT)
    told = "".join(said for _, said in tokens[:first])
    behind = "".join(said for kind, said in tokens[first:] if kind == LITERAL)
    return f"{sign}{told}{number}{behind}"


def _has_words_inside(tokens: Tokens) -> bool:
    """Tell whether words are between digits, as in a telephone number."""
    places = [at for at, token in enumerate(tokens) if token[0] == DIGIT]
    return places[-1] - places[0] + 1 > len(places)


def format_general(value: int | float) -> str:
    """Write a number without a format, with the digits that a sheet keeps."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 10**EXACT):
        return str(int(value))
    return f"{value:.10g}"


# --- days and times ---------------------------------------------------------------


def _format_moment(value: datetime | date | time | timedelta, form: str) -> str:
    """Write a day or time in its format, or as ISO where that depends on the locale."""
    section = _split_sections(form)[0]
    plain = section.lower().partition(";")[0].replace("\\", "")
    tokens = [
        (LITERAL if said in DOTS else kind, said)
        for kind, said in _split_tokens(section)
    ]
    foreign = plain in DAYS_BY_PLACE or plain.startswith("[$-f")
    parts = [said for kind, said in tokens if kind in {PART, ELAPSED}]
    strange = any(kind in {STRANGE, DIGIT, GENERAL} for kind, _ in tokens)
    if foreign or strange or not parts:
        return _format_iso(value)
    if isinstance(value, timedelta):
        return _format_duration(value, tokens)
    if isinstance(value, time):
        value = datetime.combine(date(1900, 1, 1), value)
        if any(part[0] in "yd" for part in parts):
            return _format_iso(value.time())
    elif not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return "".join(_format_parts(value, tokens)).strip()


def _format_iso(value: datetime | date | time | timedelta) -> str:
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return str(value.date()) if midnight else value.isoformat(" ", "minutes")
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, time):
        return value.isoformat("minutes" if not value.second else "seconds")
    return value.isoformat()


def _format_parts(value: datetime, tokens: Tokens) -> Iterator[str]:
    """Write each token of a day or time; `m` is a minute beside hours or seconds."""
    parts = [(at, said) for at, (kind, said) in enumerate(tokens) if kind == PART]
    halves = any(kind == HALF for kind, _ in tokens)
    minutes = {
        at
        for number, (at, said) in enumerate(parts)
        if said[0] == "m"
        and (
            (number and parts[number - 1][1][0] == "h")
            or (number + 1 < len(parts) and parts[number + 1][1][0] == "s")
        )
    }
    for at, (kind, said) in enumerate(tokens):
        if kind == LITERAL:
            yield said
        elif kind == HALF:
            yield ("AM", "PM")[value.hour >= 12]
        elif kind == ELAPSED or at in minutes or said[0] in "hs":
            yield _format_clock(value, said.strip("[]"), halves=halves)
        else:
            yield _format_calendar(value, said)


def _format_clock(value: datetime, said: str, *, halves: bool) -> str:
    hour = (value.hour % 12 or 12) if halves else value.hour
    number = {"h": hour, "m": value.minute, "s": value.second}[said[0]]
    return f"{number:02d}" if len(said) > 1 else str(number)


def _format_calendar(value: datetime, said: str) -> str:
    if said[0] == "y":
        return f"{value.year % 100:02d}" if len(said) <= 2 else str(value.year)
    names, number = (MONTHS, value.month) if said[0] == "m" else (DAYS, value.day)
    name = names[value.month - 1 if said[0] == "m" else value.weekday()]
    if len(said) >= 5 and said[0] == "m":
        return name[:1]
    if len(said) >= 3:
        return name if len(said) >= 4 else name[:3]
    return f"{number:02d}" if len(said) == 2 else str(number)


def _format_duration(value: timedelta, tokens: Tokens) -> str:
    """Write a duration, such as 26:30 hours."""
    seconds = round(value.total_seconds())
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    left = {"h": seconds // 3600, "m": seconds // 60 % 60, "s": seconds % 60}
    parts: list[str] = []
    for kind, said in tokens:
        unit = said.strip("[]")
        if kind == ELAPSED and unit[0] == "m":
            left["m"] = seconds // 60
        if kind == LITERAL:
            parts.append(said)
        elif kind in {PART, ELAPSED} and unit[0] in left:
            number = left[unit[0]]
            parts.append(f"{number:02d}" if len(unit) > 1 else str(number))
    return f"{sign}{''.join(parts)}"
