"""Discord's documented limits one by one: what just fits, and one more."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.platforms.discord_limits import (
    Call,
    check_message,
    check_modal,
    message_problems,
)
from tests.platforms.discord_reach import links, pings, unfurls

Json = dict[str, object]
V2 = 1 << 15
SILENT: Json = {"parse": []}


def said(text: str) -> Json:
    """A message of one text."""
    return {"content": text, "allowed_mentions": SILENT}


def layout(*components: Json) -> Json:
    """A message of Components V2."""
    return {"flags": V2, "components": list(components), "allowed_mentions": SILENT}


def text(length: int) -> Json:
    """A text display."""
    return {"type": 10, "content": "x" * length}


def button(custom_id: str = "a", **more: object) -> Json:
    """A button to press."""
    made: Json = {"type": 2, "style": 1, "label": "x", "custom_id": custom_id}
    return made | more


def link(url: str) -> Json:
    """A button that leads away."""
    return {"type": 2, "style": 5, "label": "x", "url": url}


def row(*buttons: Json) -> Json:
    """A row of buttons."""
    return {"type": 1, "components": list(buttons)}


def rows(count: int, *, wide: int = 1) -> Json:
    """A message of rows of buttons."""
    made = [row(*(button(f"{r}-{b}") for b in range(wide))) for r in range(count)]
    return said("x") | {"components": made}


def section(texts: int) -> Json:
    """Texts beside a button."""
    inside = [text(1) for _ in range(texts)]
    return {"type": 9, "components": inside, "accessory": button()}


def box(*components: Json) -> Json:
    """A container."""
    return {"type": 17, "components": list(components)}


def field(**parts: object) -> Json:
    """A field to type into."""
    return {"type": 4, "style": 1, "custom_id": "a"} | parts


def label(**parts: object) -> Json:
    """A label with its field."""
    return {"type": 18, "label": "x", "component": field()} | parts


def modal(*components: Json, **parts: object) -> Json:
    """A form."""
    return {"title": "x", "custom_id": "a", "components": list(components)} | parts


LIMITS: dict[str, tuple[int, Callable[[int], Json]]] = {
    "content": (2_000, lambda n: said("x" * n)),
    "content in code points": (2_000, lambda n: said("😀" * n)),
    "nonce": (25, lambda n: said("x") | {"nonce": "n" * n}),
    "rows": (5, rows),
    "buttons in a row": (5, lambda n: rows(1, wide=n)),
    "button label": (80, lambda n: rows(0) | _row(button(label="x" * n))),
    "custom id": (100, lambda n: rows(0) | _row(button("x" * n))),
    "url": (512, lambda n: rows(0) | _row(link("https://" + "x" * (n - 8)))),
    "text in all": (4_000, lambda n: layout(text(2_000), box(text(n - 2_000)))),
    "components in all": (40, lambda n: layout(box(*[text(1)] * (n - 1)))),
    "components, flat": (40, lambda n: layout(*[text(1)] * n)),
    "texts of a section": (3, lambda n: layout(section(n))),
    "allowed users": (
        100,
        lambda n: {"content": "x", "allowed_mentions": {"users": ["1"] * n}},
    ),
}
MODAL_LIMITS: dict[str, tuple[int, Callable[[int], Json]]] = {
    "title": (45, lambda n: modal(label(), title="x" * n)),
    "custom id": (100, lambda n: modal(label(), custom_id="x" * n)),
    "components": (5, lambda n: modal(*(_numbered(i) for i in range(n)))),
    "label": (45, lambda n: modal(label(label="x" * n))),
    "description": (100, lambda n: modal(label(description="x" * n))),
    "text": (4_000, lambda n: modal(label(), text(n))),
    "max_length": (4_000, lambda n: modal(label(component=field(max_length=n)))),
    "min_length": (4_000, lambda n: modal(label(component=field(min_length=n)))),
    "value": (4_000, lambda n: modal(label(component=field(value="x" * n)))),
    "placeholder": (100, lambda n: modal(label(component=field(placeholder="x" * n)))),
}


def _row(*buttons: Json) -> Json:
    return {"components": [row(*buttons)]}


def _numbered(number: int) -> Json:
    return label(component=field(custom_id=str(number)))


@pytest.mark.parametrize("name", LIMITS)
def test_a_message_at_its_limit_is_fine_and_one_more_is_not_R_C4(name: str) -> None:
    """Every documented figure, from both sides."""
    most, made = LIMITS[name]
    assert check_message(made(most)) == []
    assert check_message(made(most + 1)) != []


@pytest.mark.parametrize("name", MODAL_LIMITS)
def test_a_modal_at_its_limit_is_fine_and_one_more_is_not_R_C4(name: str) -> None:
    """Every documented figure, from both sides."""
    most, made = MODAL_LIMITS[name]
    assert check_modal(made(most)) == []
    assert check_modal(made(most + 1)) != []


WRONG: dict[str, Json] = {
    "empty": said(" \n"),
    "empty layout": {"flags": V2, "components": []},
    "unknown field": said("x") | {"poll": {}},
    "unknown field inside": layout({**text(1), "image": "https://x.org/a.png"}),
    "embeds": said("x") | {"embeds": [{"title": "t"}]},
    "files": said("x") | {"attachments": [{"id": 0}]},
    "aloud": said("x") | {"tts": True},
    "wrong type": said("x") | {"flags": "4"},
    "ephemeral in a channel": said("x") | {"flags": 64},
    "unknown flag": said("x") | {"flags": 1 << 20},
    "layout without its flag": {"components": [text(1)]},
    "layout with content": layout(text(1)) | {"content": ""},
    "layout with embeds": layout(text(1)) | {"embeds": [{"title": "t"}]},
    "button outside a row": layout(button()),
    "container in a container": layout(box(box(text(1)))),
    "empty row": said("x") | {"components": [row()]},
    "empty text": layout(text(0)),
    "empty section": layout(section(0)),
    "media gallery": layout({"type": 12, "items": []}),
    "file": layout({"type": 13, "file": {"url": "attachment://x"}}),
    "thumbnail": layout(section(1) | {"accessory": {"type": 11, "media": {}}}),
    "select": said("x") | _row({"type": 3, "custom_id": "a", "options": []}),
    "same custom id": said("x") | _row(button("a"), button("a")),
    "same id": layout({**text(1), "id": 7}, {**text(1), "id": 7}),
    "no custom id": said("x") | _row({"type": 2, "style": 1, "label": "x"}),
    "no label": said("x") | _row(button(label=None)),
    "link with custom id": said("x")
    | _row({**link("https://x.org"), "custom_id": "a"}),
    "link to a script": said("x") | _row(link("javascript:alert(1)")),
    "premium button": said("x") | _row({"type": 2, "style": 6, "sku_id": "1"}),
    "parsed and listed": {
        "content": "x",
        "allowed_mentions": {"parse": ["users"], "users": ["1"]},
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_message_is_told(name: str) -> None:
    """What is unknown, misplaced or against the policy is a problem, in words."""
    [first, *_] = check_message(WRONG[name])
    assert ": " in first


@pytest.mark.parametrize(
    "wrong",
    [
        modal(),
        modal(label(), title=""),
        modal(row(field(label="x"))),
        modal(label(component=field(label="x"))),
        modal(label(component=button())),
        modal(label(component=field(min_length=5, max_length=4))),
        modal(label(component=field(max_length=0))),
        modal(label(), label()),
        modal(label(), more=1),
    ],
)
def test_a_wrong_modal_is_told(wrong: Json) -> None:
    """One to five labelled fields with ids of their own, and nothing else."""
    assert check_modal(wrong) != []


@pytest.mark.parametrize(
    ("call", "allowed"),
    [
        ("create", 4 | 4096 | V2),
        ("edit", 4 | V2),
        ("callback", 4 | 64 | 4096 | V2),
        ("followup", 4 | 64 | 4096 | V2),
        ("webhook_edit", 4 | V2),
        ("defer", 64),
    ],
)
def test_each_call_has_its_flags(call: Call, allowed: int) -> None:
    """Each bit alone: set where the documentation lets it, refused elsewhere."""
    for bit in range(20):
        payload: Json = {"flags": 1 << bit}
        if call != "defer":
            shown = {"components": [text(1)]} if 1 << bit == V2 else {"content": "x"}
            payload |= shown
        assert (check_message(payload, call) == []) == bool(allowed & 1 << bit), bit


def test_only_a_new_message_carries_a_nonce_and_a_reference() -> None:
    """The other calls know neither: what they send cannot be sent again safely."""
    for more in ({"nonce": "1"}, {"message_reference": {"message_id": "1"}}):
        payload = said("x") | more
        assert check_message(payload) == []
        assert check_message(payload, "callback") != []
        assert check_message(payload, "edit") != []


def test_an_edit_may_leave_out_what_stays() -> None:
    """A new message needs something to show; an edit knows what it edits."""
    assert check_message({}, "edit") == []
    assert check_message({"components": [text(1)]}, "edit", v2=True) == []
    assert check_message({"content": "x"}, "edit", v2=True) != []


def test_a_problem_names_its_place() -> None:
    """The path leads through lists and nested components."""
    wrong = layout(box(text(1), row(button(label="x" * 81))))
    [problem] = message_problems(wrong)
    place = ("components", 0, "components", 1, "components", 0, "label")
    assert problem.path == place
    assert str(problem).startswith("components.0.components.1.components.0.label: ")


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from(
                ("components", "content", "type", "flags", "accessory", "id")
            ),
            inner,
        )
    ),
)


@given(st.dictionaries(st.sampled_from(("components", "content", "flags")), ANY_JSON))
def test_no_payload_breaks_the_checks(payload: Json) -> None:
    """Whatever a payload holds is judged, never an exception."""
    assert isinstance(check_message(payload), list)
    assert isinstance(check_modal(payload), list)
    assert pings(payload)
    assert isinstance(links(payload), set)
    assert isinstance(unfurls(payload), bool)


# -- pings


MENTIONS = ("@everyone", "@here", "<@1>", "<@!1>", "<@&1>")


@pytest.mark.parametrize("mention", MENTIONS)
@pytest.mark.parametrize(
    "allowed",
    [
        {"parse": ["users"]},
        {"parse": [], "users": ["1"]},
        {"parse": [], "roles": ["1"]},
        {"users": []},
    ],
)
def test_a_mention_pings_unless_nothing_is_allowed_R_S1(
    mention: str, allowed: Json
) -> None:
    """In the content and in a text display of any depth."""
    loud = {"content": f"see {mention}", "allowed_mentions": allowed}
    nested = layout(box({"type": 10, "content": mention}))
    assert pings(loud) != []
    assert pings(nested | {"allowed_mentions": allowed}) != []
    assert pings(loud | {"allowed_mentions": SILENT}) == []
    assert pings(nested) == []


def test_silence_must_be_said_R_S1() -> None:
    """Without allowed_mentions the platform pings; a reply pings its author."""
    assert pings({"content": "x"}) != []
    assert pings({"content": "x", "allowed_mentions": None}) != []
    assert pings(said("x") | {"allowed_mentions": {"replied_user": True}}) != []
    assert pings(said("mail me @ home, <@name>")) == []


# -- links


@pytest.mark.parametrize(
    ("shown", "clickable"),
    [
        ("see https://a.org/x.", {"https://a.org/x"}),
        ("(https://a.org/x)", {"https://a.org/x"}),
        ("https://a.org/x_(y)", {"https://a.org/x_(y)"}),
        ("HTTPS://A.org", {"HTTPS://A.org"}),
        ("[t](https://a.org/x)more", {"https://a.org/x"}),
        ("[t](https://a.org/x_(y) 'title')", {"https://a.org/x_(y)"}),
        ("[t](<https://a.org/x>)", {"https://a.org/x"}),
        ("[https://a.org](https://b.org)", {"https://a.org", "https://b.org"}),
        ("<https://a.org/x>", {"https://a.org/x"}),
        ("<mailto:a@b.org>", {"mailto:a@b.org"}),
        ("join discord.gg/abc", {"discord.gg/abc"}),
        ("||https://a.org||", {"https://a.org||"}),
        ("\\https://a.org", {"https://a.org"}),
        ("`https://a.org`", set()),
        ("```\nhttps://a.org\n```", set()),
        ("\\`https://a.org\\`", {"https://a.org\\`"}),
        ("```\nhttps://a.org", {"https://a.org"}),
        ("a.org/x and hxxp://a.org", set()),
        ("https\\://a.org", set()),
        ("ftp://a.org javascript:x data:text", set()),
    ],
)
def test_links_are_what_can_be_clicked_R_S1(shown: str, clickable: set[str]) -> None:
    """In Discord's Markdown: bare, masked, in angle brackets; not in code."""
    assert links(said(shown)) == clickable
    assert links(layout({"type": 10, "content": shown})) == clickable
    assert unfurls(said(shown)) == bool(clickable)


def test_links_stand_in_buttons_too() -> None:
    """Wherever a URL can be put."""
    assert links(said("x") | _row(link("https://b.org"))) == {"https://b.org"}


def test_previews_are_off_with_the_flag_or_in_a_layout() -> None:
    """And there is none of a button."""
    shown = said("https://a.org")
    assert unfurls(shown)
    assert not unfurls(shown | {"flags": 4})
    assert not unfurls(layout({"type": 10, "content": "https://a.org"}))
    assert not unfurls(said("x") | _row(link("https://a.org")))
