"""The cascade of a page's style sheets: the declarations of each element.

tinycss2 parses, the HTML parser's engine matches selectors, and this module applies
importance, specificity and order. Only properties that can hide or strike text are
kept. A style sheet in another file is not read, and a remark says so.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile

import tinycss2
from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError
from tinycss2.ast import Node as Token

ELSEWHERE = (
    "its style sheets in other files are not looked at: what they hide or strike out "
    "counts as text"
)
PROPERTIES = frozenset(
    (
        *("display", "visibility", "opacity", "content-visibility", "filter", "zoom"),
        *("font", "font-size", "color", "-webkit-text-fill-color", "background"),
        *("background-color", "background-image", "background-clip"),
        *("-webkit-background-clip", "text-decoration", "text-decoration-line"),
        *("position", "left", "right", "top", "bottom", "text-indent", "margin"),
        *("margin-left", "margin-top", "transform", "translate", "scale", "clip"),
        *("clip-path", "width", "height", "max-width", "max-height", "overflow"),
        *("overflow-x", "overflow-y", "inset", "unicode-bidi", "direction"),
        *("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"),
    )
)
# States that need interaction with the page.
UNTOUCHED = frozenset(
    (
        *("active", "focus", "focus-visible", "focus-within", "hover", "target"),
        *("target-within", "visited", "modal", "popover-open", "fullscreen"),
        *("playing", "paused", "autofill", "user-invalid", "user-valid", "current"),
    )
)
PSEUDO_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
WIDTH = 1_280.0  # pixels of the assumed screen
MOST_RULES = 50_000
DEEPEST = 20

Value = Sequence[Token]
# Importance, inline or not, specificity, order; the greatest wins.
Rank = tuple[bool, bool, tuple[int, int, int], int]


@dataclass(slots=True)
class Styles:
    """The declarations of each element of a page, by its `mem_id`.

    `added` are the words that styles put "before" or "after" an element's content.
    """

    elsewhere: bool = False
    added: dict[tuple[int, str], str] = field(default_factory=dict)
    _ranked: dict[int, dict[str, tuple[Rank, Value]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    _variables: dict[str, Value] = field(default_factory=dict)
    _order: int = 0
    _names: frozenset[str] = frozenset()

    def of(self, node: LexborNode) -> Mapping[str, Value]:
        """Return the declarations of an element, its own `style` included."""
        held = self._ranked.get(node.mem_id, {})
        style = node.attributes.get("style")
        if style:
            held = dict(held)
            for name, value, important in _list_declarations(_parse(style)):
                rank = (important, True, (0, 0, 0), len(held))
                _put(held, name, rank, value)
        return {name: self._resolved(value) for name, (_, value) in held.items()}

    def _resolved(self, value: Value, depth: int = 0) -> Value:
        """Resolve `var()` in a value; an undeclared variable becomes nothing."""
        if depth > DEEPEST:
            return ()
        found: list[Token] = []
        for token in value:
            if token.type == "function" and token.lower_name == "var":
                name, _, fallback = _partition(token.arguments, ",")
                known = self._variables.get(tinycss2.serialize(name).strip())
                put_in = fallback if known is None else known
                found += self._resolved(put_in, depth + 1)
            elif token.type not in ("whitespace", "comment"):
                found.append(token)
        return found

    def read(self, tree: LexborHTMLParser, sheet: Iterable[Token]) -> None:
        """Read the rules of one style sheet."""
        for selector, content in _list_rules(sheet, (), self):
            self._order += 1
            if self._order > MOST_RULES:
                self.elsewhere = True
                return
            declared = [*_list_declarations(content)]
            for name, value, _ in declared:
                if name.startswith("--"):
                    self._variables.setdefault(name, value)
            kept = [each for each in declared if each[0] in PROPERTIES]
            if kept:
                self._hold(tree, selector, kept)
            added = next((v for name, v, _ in declared if name == "content"), None)
            if added is not None:
                hidden = any(_is_none(each) for each in declared)
                self._add(tree, selector, "" if hidden else _read_words(added))

    def _hold(
        self,
        tree: LexborHTMLParser,
        selector: Value,
        declared: Sequence[tuple[str, Value, bool]],
    ) -> None:
        for one in _split(selector, ","):
            if not self._may_match(one) or _is_pseudo(one):
                continue
            try:
                nodes = tree.css(tinycss2.serialize(_drop_states(one)).strip())
            except SelectolaxError:
                continue  # an unknown selector matches nothing
            weight = _compute_specificity(one)
            for node in nodes:
                held = self._ranked[node.mem_id]
                for name, value, important in declared:
                    rank = (important, False, weight, self._order)
                    _put(held, name, rank, value)

    def _add(self, tree: LexborHTMLParser, selector: Value, words: str) -> None:
        """Note the words that a rule adds before or after elements; the last wins."""
        for one in _split(selector, ","):
            element, where = _split_pseudo(one)
            if where not in ("before", "after") or not self._may_match(element):
                continue
            chosen = tinycss2.serialize(_drop_states(element)).strip() or "*"
            with suppress(SelectolaxError):
                for node in tree.css(chosen):
                    self.added[node.mem_id, where] = words

    def _may_match(self, selector: Value) -> bool:
        """Tell whether the page has all classes and ids that a selector names."""
        return all(name in self._names for name in _list_named(selector))


def read_styles(tree: LexborHTMLParser) -> Styles:
    """Read the page's style sheets."""
    found = Styles(_names=frozenset(_list_present(tree)))
    for node in tree.css("style, link"):
        media = node.attributes.get("media") or ""
        if not _is_screen(parse_tokens(media)):
            continue
        if node.tag == "link":
            kinds = (node.attributes.get("rel") or "").lower().split()
            found.elsewhere |= "stylesheet" in kinds and "alternate" not in kinds
        elif (node.attributes.get("type") or "text/css").lower() == "text/css":
            sheet = tinycss2.parse_stylesheet(
                node.text(deep=True), skip_comments=True, skip_whitespace=True
            )
            found.read(tree, sheet)
    return found


def _list_present(tree: LexborHTMLParser) -> Iterator[str]:
    for node in tree.css("[class], [id]"):
        yield from (f".{name}" for name in (node.attributes.get("class") or "").split())
        yield f"#{node.attributes.get('id') or ''}"


def _list_rules(
    sheet: Iterable[Token], above: Value, styles: Styles
) -> Iterator[tuple[Value, Sequence[Token]]]:
    """List the rules for a screen, with their full selectors."""
    for rule in sheet:
        if rule.type == "at-rule":
            name = rule.lower_at_keyword
            styles.elsewhere |= name == "import" and _is_screen(rule.prelude[2:])
            group = name in ("layer", "supports", "media", "scope", "starting-style")
            applies = name != "media" or _is_screen(rule.prelude)
            if group and applies and rule.content is not None:
                inner = _parse(rule.content)
                yield from _list_rules(inner, above, styles)
                if above:
                    yield above, inner
        elif rule.type == "qualified-rule":
            selector = _nest(rule.prelude, above)
            inner = _parse(rule.content)
            yield selector, inner
            if any(each.type in ("qualified-rule", "at-rule") for each in inner):
                yield from _list_rules(inner, selector, styles)


def _nest(selector: Value, above: Value) -> Value:
    """Resolve a nested selector, with the outer one in place of `&`."""
    if not above:
        return selector
    parent = parse_tokens(f":is({tinycss2.serialize(above).strip()})")
    parts: list[Token] = []
    for one in _split(selector, ","):
        named = any(token == "&" for token in one)
        placed: list[Token] = [] if named else [*parent, *parse_tokens(" ")]
        for token in one:
            placed += parent if token == "&" else [token]
        parts += [*([] if not parts else parse_tokens(",")), *placed]
    return parts


def _list_declarations(content: Iterable[Token]) -> Iterator[tuple[str, Value, bool]]:
    for each in content:
        if each.type == "declaration":
            name = each.name if each.name.startswith("--") else each.lower_name
            yield name, each.value, each.important


def _put(
    held: dict[str, tuple[Rank, Value]], name: str, rank: Rank, value: Value
) -> None:
    if name not in held or held[name][0] <= rank:
        held[name] = (rank, value)


def _is_screen(media: Sequence[Token]) -> bool:
    """Tell whether one of some media queries matches the assumed screen.

    An unknown feature does not match.
    """
    queries = [q for q in _split(media, ",") if tinycss2.serialize(q).strip()]
    return not queries or any(map(_matches_screen, queries))


def _matches_screen(query: Value) -> bool:
    told = [token for token in query if token.type not in ("whitespace", "comment")]
    words = [token.lower_value for token in told if token.type == "ident"]
    types = [w for w in words if w not in ("and", "only", "not", "or")]
    right = all(name in ("screen", "all") for name in types)
    features = [t for t in told if t.type == "() block"]
    held = right and all(_matches_feature(block.content) for block in features)
    return not held if "not" in words else held


def _matches_feature(content: Sequence[Token]) -> bool:
    name, _, value = _partition(content, ":")
    said = tinycss2.serialize(name).strip().lower()
    lengths = [t for t in value if t.type == "dimension" and t.lower_unit in UNITS]
    if not lengths or said not in ("min-width", "max-width"):
        return False
    length = lengths[0].value * UNITS[lengths[0].lower_unit]
    return bool(length <= WIDTH if said == "min-width" else length >= WIDTH)


# Pixels of a unit; `em` at the default size of letters.
UNITS: Mapping[str, float] = {
    **{"px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54},
    **{"mm": 9.6 / 2.54, "q": 2.4 / 2.54, "em": 16.0, "rem": 16.0, "ch": 8.0},
    **{"ex": 8.0, "vw": WIDTH / 100, "vh": 8.0, "vmin": 8.0, "vmax": WIDTH / 100},
}


def _compute_specificity(selector: Value) -> tuple[int, int, int]:
    """Count ids, classes and types of a selector; `:is` and the like add all inside."""
    ids = classes = types = 0
    before = " "
    for token in selector:
        if token.type == "hash":
            ids += 1
        elif token.type == "[] block" or (token.type == "ident" and before in ".:"):
            classes += 1
        elif token.type == "ident":
            types += 1
        elif token.type == "function" and token.lower_name != "where":
            inner = _compute_specificity(token.arguments)
            own = 0 if token.lower_name in ("is", "not", "has") else 1
            ids, classes, types = (
                ids + inner[0],
                classes + inner[1] + own,
                types + inner[2],
            )
        before = token.value if token.type == "literal" else " "
    return ids, classes, types


def _list_named(selector: Value) -> Iterator[str]:
    """List the classes and ids that a selector names outside of functions."""
    before = ""
    for token in selector:
        if token.type == "hash":
            yield f"#{token.value}"
        elif token.type == "ident" and before == ".":
            yield f".{token.value}"
        before = token.value if token.type == "literal" else ""


def _is_pseudo(selector: Value) -> bool:
    """Tell whether a selector is for a pseudo-element, such as `::before`."""
    before = ["", ""]
    for token in selector:
        colon = before[1] == ":"
        named = token.type == "ident" and token.lower_value in PSEUDO_ELEMENTS
        if colon and (before[0] == ":" or named):
            return True
        before = [before[1], token.value if token.type == "literal" else ""]
    return False


def _split_pseudo(selector: Value) -> tuple[Value, str]:
    """Split a selector such as `p::before` into element and pseudo-element."""
    if not selector or selector[-1].type != "ident":
        return selector, ""
    colons = [*selector[-3:-1]][::-1]
    number = sum(1 for _ in takewhile(lambda token: token == ":", colons))
    if not number:
        return selector, ""
    return selector[: -1 - number], str(selector[-1].lower_value)


def _read_words(content: Value) -> str:
    """Read the words of `content`; a single sign counts as a picture."""
    told = "".join(t.value for t in content if t.type == "string")
    return told if sum(map(str.isalnum, told)) > 1 else ""


def _is_none(declared: tuple[str, Value, bool]) -> bool:
    name, value, _ = declared
    hides = (("display", "none"), ("visibility", "hidden"))
    return any((name, t.lower_value) in hides for t in value if t.type == "ident")


def _drop_states(selector: Value) -> Value:
    """Make states that need interaction match nothing."""
    found: list[Token] = []
    for token in selector:
        state = token.type == "ident" and token.lower_value in UNTOUCHED
        if state and found and found[-1] == ":":
            found.pop()
            found += parse_tokens(":not(*)")
        elif token.type == "function" and token.lower_name in ("is", "not", "where"):
            inner = tinycss2.serialize(_drop_states(token.arguments))
            found += parse_tokens(f"{token.lower_name}({inner})")
        else:
            found.append(token)
    return found


def _partition(tokens: Sequence[Token], mark: str) -> tuple[Value, bool, Value]:
    for at, token in enumerate(tokens):
        if token == mark:
            return tokens[:at], True, tokens[at + 1 :]
    return tokens, False, ()


def _split(tokens: Sequence[Token], mark: str) -> list[Value]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return [*parts]


def _parse(content: str | Sequence[Token]) -> Sequence[Token]:
    parsed: Sequence[Token] = tinycss2.parse_blocks_contents(
        content, skip_comments=True, skip_whitespace=True
    )
    return parsed


def parse_tokens(text: str) -> Sequence[Token]:
    """Parse a value to tokens."""
    parsed: Sequence[Token] = tinycss2.parse_component_value_list(text)
    return parsed
