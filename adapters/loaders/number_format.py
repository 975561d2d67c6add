"""A cell's value as a sheet shows it: 0.25 under `0%` is 25%, 46000 is a day (R-A15).

What most sheets use of number formats: sections by sign, digits, groups, per cent,
powers of ten, words and currencies beside the digits, days and times. A format that
holds more (fractions, conditions) is not guessed: the value stands as it is stored.
"""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal

import re2

EXACT = 15  # digits of a number that a sheet keeps
# One token of a format: words in quotes, a character as it is, a currency or language,
# a colour, an elapsed time, a place that a character would fill, a part of a day.
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
DOTS = frozenset(".,")  # which part a day from a month as well
Tokens = list[tuple[int, str]]


def shown(value: object, form: str) -> str:
    """What a cell shows of a value under a number format; "" where that hides it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, form)
    if isinstance(value, int | float):
        return _number(value, form)
    sections = _sections(form)
    if len(sections) == 4 and "@" not in form:
        return "".join(said for kind, said in _tokens(sections[3]) if kind == LITERAL)
    return str(value)


def _sections(form: str) -> list[str]:
    """The parts of a format for positive, negative, zero and text."""
    parts, quoted, last = [""], False, ""
    for character in form:
        quoted ^= character == '"' and last != "\\"
        if character == ";" and not quoted and last != "\\":
            parts.append("")
        else:
            parts[-1] += character
        last = character
    return parts


def _tokens(section: str) -> Tokens:
    """A section in tokens; digits stand together as one."""
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


def _number(value: int | float, form: str) -> str:
    sections = _sections(form)
    at = 0
    if value < 0 and len(sections) > 1:
        at, value = 1, -value  # a section of its own says itself how a minus looks
    elif value == 0 and len(sections) > 2:
        at = 2
    section = sections[at]
    if not section.strip():
        return "" if ";" in form else general(value)
    tokens = _tokens(section)
    kinds = {kind for kind, _ in tokens}
    digits = "".join(said for kind, said in tokens if kind == DIGIT)
    said = "".join(said for kind, said in tokens if kind == LITERAL)
    if GENERAL in kinds:
        return "".join(
            general(value) if kind == GENERAL else text
            for kind, text in tokens
            if kind in {GENERAL, LITERAL}
        )
    strange = {STRANGE, PART, ELAPSED, HALF} & kinds or "/" in said
    if strange or said.strip() == "@":
        return general(value)
    if not digits:
        return said
    if "E" in said:
        decimals = section.upper().partition("E")[0].partition(".")[2]
        return f"{value:.{decimals.count('0')}E}"
    return _filled(value, tokens, digits, said)


def _filled(value: int | float, tokens: Tokens, digits: str, said: str) -> str:
    """A number in the digits of its format, between the words beside them."""
    exact = Decimal(repr(value)) * 100 ** said.count("%")
    if DIGITS.fullmatch(digits) is None:
        return general(value)
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
    if _inside(tokens):
        return general(value)
    first = next(at for at, token in enumerate(tokens) if token[0] == DIGIT)
    told = "".join(said for _, said in tokens[:first])
    behind = "".join(said for kind, said in tokens[first:] if kind == LITERAL)
    return f"{sign}{told}{number}{behind}"


def _inside(tokens: Tokens) -> bool:
    """Whether words stand between digits, as in a telephone number."""
    places = [at for at, token in enumerate(tokens) if token[0] == DIGIT]
    return places[-1] - places[0] + 1 > len(places)


def general(value: int | float) -> str:
    """A number without a format: as many digits as a sheet keeps, no more."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 10**EXACT):
        return str(int(value))
    return f"{value:.10g}"


# --- days and times ---------------------------------------------------------------


def _moment(value: datetime | date | time | timedelta, form: str) -> str:
    """A day or time in its format; where that goes by the reader's country, as ISO."""
    section = _sections(form)[0]
    plain = section.lower().partition(";")[0].replace("\\", "")
    tokens = [
        (LITERAL if said in DOTS else kind, said) for kind, said in _tokens(section)
    ]
    foreign = plain in DAYS_BY_PLACE or plain.startswith("[$-f")
    parts = [said for kind, said in tokens if kind in {PART, ELAPSED}]
    strange = any(kind in {STRANGE, DIGIT, GENERAL} for kind, _ in tokens)
    if foreign or strange or not parts:
        return _iso(value)
    if isinstance(value, timedelta):
        return _lasting(value, tokens)
    if isinstance(value, time):
        value = datetime.combine(date(1900, 1, 1), value)
        if any(part[0] in "yd" for part in parts):
            return _iso(value.time())
    elif not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return "".join(_said(value, tokens)).strip()


def _iso(value: datetime | date | time | timedelta) -> str:
    if isinstance(value, datetime):
        midnight = value.time() == time()
        return str(value.date()) if midnight else value.isoformat(" ", "minutes")
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, time):
        return value.isoformat("minutes" if not value.second else "seconds")
    return value.isoformat()


def _said(value: datetime, tokens: Tokens) -> Iterator[str]:
    """Each token of a day or time; `m` is a minute beside hours or seconds."""
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
            yield _clock(value, said.strip("[]"), halves=halves)
        else:
            yield _calendar(value, said)


def _clock(value: datetime, said: str, *, halves: bool) -> str:
    hour = (value.hour % 12 or 12) if halves else value.hour
    number = {"h": hour, "m": value.minute, "s": value.second}[said[0]]
    return f"{number:02d}" if len(said) > 1 else str(number)


def _calendar(value: datetime, said: str) -> str:
    if said[0] == "y":
        return f"{value.year % 100:02d}" if len(said) <= 2 else str(value.year)
    names, number = (MONTHS, value.month) if said[0] == "m" else (DAYS, value.day)
    name = names[value.month - 1 if said[0] == "m" else value.weekday()]
    if len(said) >= 5 and said[0] == "m":
        return name[:1]
    if len(said) >= 3:
        return name if len(said) >= 4 else name[:3]
    return f"{number:02d}" if len(said) == 2 else str(number)


def _lasting(value: timedelta, tokens: Tokens) -> str:
    """A time that lasts, such as 26:30 hours."""
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
