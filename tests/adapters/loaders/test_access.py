"""Who may see a document: what a file says of it is read, or the file is refused."""

import json

import pytest

from adapters.loaders import html, jsonl, markdown, rst, text
from adapters.loaders.limits import Limits
from adapters.loaders.registry import TextLoader
from engine.errors import DocumentError
from engine.policy.pack import Source

LIMITS = Limits()
LOADERS = [markdown.parse, html.parse, rst.parse, text.parse]
CLOSED = "access_tags: [staff]"
BODY = "Rest often and drink enough water.\n"

every = pytest.mark.parametrize("parse", LOADERS, ids=lambda parse: parse.__module__)


@every
@pytest.mark.parametrize(
    "matter",
    [
        f"---\n{CLOSED}\n---\n",
        f"\n\n---\n{CLOSED}\n---\n",
        f" \t\n---  \n{CLOSED}\n---\t\n",
        f"---\n{CLOSED}\n...\n",
        '---\n{"access_tags": ["staff"]}\n---\n',
        f"---\n{CLOSED}\ntags: [sleep]\n---\n",
    ],
)
def test_front_matter_closes_a_document_in_every_format_R_S8(
    parse: TextLoader, matter: str
) -> None:
    """Also behind blank lines, with spaces behind its fences, and above HTML."""
    parsed = parse(matter + BODY, "a.x", LIMITS)
    assert parsed.tags == ("staff",)
    assert parsed.text == BODY.strip()


@every
@pytest.mark.parametrize(
    "tags",
    [
        *(
            '[""]',
            "[]",
            "",
            '["  "]',
            "staff",
            "{staff: 1}",
            "[1]",
            "[[staff]]",
            "null",
        ),
        *('["staff\\nother"]', '["staff, nurses"]', '["staff "]', '["st\\u200baff"]'),
    ],
)
def test_tags_that_are_none_refuse_the_document_R_S8(
    parse: TextLoader, tags: str
) -> None:
    """With file, field and fix."""
    with pytest.raises(DocumentError) as refused:
        parse(f"---\naccess_tags: {tags}\n---\n{BODY}", "a.x", LIMITS)
    for part in ("a.x", "access_tags", "write `access_tags: [staff]`"):
        assert part in str(refused.value)


@every
@pytest.mark.parametrize(
    "head",
    [
        "---\ntags: [staff]\n---\n",
        "---\naccess-tags: [staff]\n---\n",
        "---\nAccess_Tags: [staff]\n---\n",
        "---\naccess_tag: staff\n---\n",
        "---\nmeta: {access_tags: [staff]}\n---\n",
        f"{CLOSED}\n\n",
        f"---\n{CLOSED}\n\n",
        f"# Rest\n\n---\n{CLOSED}\n---\n\n",
        f"<!--\n---\n{CLOSED}\n---\n-->\n\n",
        f"---\ntitle: Rest\n---\n\n---\n{CLOSED}\n---\n\n",
        f"\N{NO-BREAK SPACE}---\n{CLOSED}\n---\n\n",
        '+++\naccess_tags = ["staff"]\n+++\n\n',
        '{"access_tags": ["staff"]}\n\n',
        ":access_tags: staff\n\n",
        "**Access tags:** staff\n\n",
        '<meta name="access_tags" content="staff">\n\n',
    ],
)
def test_access_words_that_nobody_reads_refuse_the_document_R_S8(
    parse: TextLoader, head: str
) -> None:
    """Under another name or in another place they would keep nobody out."""
    with pytest.raises(DocumentError, match=r"a\.x: .*access_tags: \[staff\]"):
        parse(head + BODY, "a.x", LIMITS)


@every
@pytest.mark.parametrize(
    "head", ["---\nsource: nci\ntitle: T\n\n", "+++\ntitle = 'T'\n+++\n\n"]
)
def test_front_matter_that_is_not_read_is_named_R_S8(
    parse: TextLoader, head: str
) -> None:
    """Not closed, or in another language; a rule above a text is neither."""
    with pytest.raises(DocumentError, match=r"a\.x: its front matter was not read"):
        parse(head + BODY, "a.x", LIMITS)
    assert BODY.strip() in parse(f"---\n\n{BODY}", "a.x", LIMITS).text


def test_a_line_of_jsonl_is_held_to_the_same_R_S8() -> None:
    """Each bad line is left out by its number."""
    bad = ({"access_tags": [""]}, {"access_tags": []}, {"tags": ["staff"]})
    worse = ({"access_tags": ["a\nb"]}, {"access_tags": ["\ud800"]}, {"tags\ud800": 1})
    lines = [{"access_tags": ["staff"]}, {"tags": []}, *bad, *worse]
    whole = "\n".join(json.dumps({**line, "text": BODY}) for line in lines)
    loaded = jsonl.parse(whole, "a.jsonl", LIMITS)
    assert [d.tags for d in loaded.documents] == [("staff",), ()]
    assert [problem.split(":")[0] for problem in loaded.problems] == [
        f"a.jsonl#{number}" for number in (3, 4, 5, 6, 7, 8)
    ]
    "\n".join(loaded.problems).encode()


@pytest.mark.parametrize("tag", ["", " ", "staff\nother", "a,b", "\0"])
def test_a_register_with_an_unreadable_tag_is_refused_R_S8(tag: str) -> None:
    """A source's tags close all of its documents."""
    fields = {
        "id": "ward",
        "publisher": "Ward",
        "type": "page",
        "tier": 1,
        "trusted": True,
        "homepage": "https://example.org/",
    }
    assert Source.model_validate({**fields, "tags": ["staff"]}).tags == ("staff",)
    with pytest.raises(ValueError, match="access tag"):
        Source.model_validate({**fields, "tags": [tag]})
