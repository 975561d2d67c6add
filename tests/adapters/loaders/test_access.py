"""Who may see a document: what a file says of it is read, or the file is refused."""

# ruff: noqa: RUF001 -- letters that look alike are what is read here

import json

import pytest

from adapters.loaders import html, jsonl, markdown, rst, text
from adapters.loaders.limits import Limits
from adapters.loaders.registry import TextLoader
from engine.model.errors import DocumentError
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
            "[{staff: 1}]",
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
        '<meta content="staff" property=acces_tags>\n\n',
        '<meta name="visibility" content="board">\n\n',
        "Acces-tags: staff\n\n",
        ":visibility: board\n\n",
        ":acl: board\n\n",
    ],
)
def test_access_words_that_nobody_reads_refuse_the_document_R_S8(
    parse: TextLoader, head: str
) -> None:
    """Under another name or in another place they would keep nobody out."""
    with pytest.raises(DocumentError, match=r"a\.x: .*access_tags: \[staff\]"):
        parse(head + BODY, "a.x", LIMITS)


# Typing errors, other cases and marks, letters that look alike, orders, unseen signs.
MISSPELT = (
    *("acces_tags", "acess_tags", "acccess_tags", "access_tgas", "access_tagss"),
    *("accss_tags", "accesstags", "accessTags", "ACCESS_TAGS", "Access Tags"),
    *("access.tags", "access/tags", "access_tag", "acess_tag", "axcess_tags"),
    *("access_taqs", "accsess_tags", "access__tags", " access_tags", "access_tags_"),
    *("аccess_tags", "aсcess_tags", "ассеѕѕ_tags", "access_tаgs", "αccess_tags"),
    *("access_tąg\u200bs", "accéss_tags", "ａｃｃｅｓｓ_tags", "acces₅_tags"),
    *("access\u00ad_tags", "\u202eaccess_tags", "acce𝗌s_tags", "ꓮccess_tags"),
)
# Other words that say who may see something (R-S8).
OTHERS = (
    *("access", "acl", "acls", "visibility", "private", "restricted", "groups"),
    *("roles", "role", "group", "access_group", "access-roles", "accessLevel"),
    *("allowed_groups", "allowedRoles", "visible_groups", "Visibility", "ACL"),
    *("page_visibility", "visiblity", "visibilty", "privat", "restriced", "accesslist"),
    *("access_control", "access_to", "read_access", "roleNames", "restricted_to"),
    *("vіsibility", "рrivate", "gr\u043eups", "a\u200bcl"),
)


@pytest.mark.parametrize("name", [*MISSPELT, *OTHERS])
@pytest.mark.parametrize("value", ["[board]", "board", "true", "{a: board}"])
def test_an_access_word_that_is_misspelt_refuses_the_document_R_S8(
    name: str, value: str
) -> None:
    """Whatever its author meant, it would keep nobody out."""
    with pytest.raises(DocumentError, match=r"a\.md: .*keeps nobody out") as refused:
        markdown.parse(f'---\n"{name}": {value}\n---\n{BODY}', "a.md", LIMITS)
    assert "write `access_tags: [staff]`" in str(refused.value)
    line = json.dumps({"text": BODY, name: ["board"]})
    assert not jsonl.parse(line, "a.jsonl", LIMITS).documents


@pytest.mark.parametrize(
    "matter",
    [
        "access_tags: [staff]\nAccess_Tags: [public]",
        "access_tags: [staff]\nvisibility: board",
        "page:\n  visibility: board",
        "page:\n- {acl: [board]}",
        "<<: {access_tags: [board]}",
    ],
)
def test_one_that_is_read_does_not_excuse_another_R_S8(matter: str) -> None:
    with pytest.raises(DocumentError, match="keeps nobody out"):
        markdown.parse(f"---\n{matter}\n---\n{BODY}", "a.md", LIMITS)


@pytest.mark.parametrize(
    "matter",
    [
        *(
            "accessed: 2026-03-01",
            "date_accessed: 2026-03-01",
            "access_date: 2026-03-01",
        ),
        *("accessibility: good", "accession: NM_001", "accessories: [hat]"),
        *("private: false", "visibility: public", "restricted: no", "groups: []"),
        *("access: open", "acl: ~", "roles:", "private: 'no'", "visibility: ''"),
        *("keywords: [board]", "category: members", "status: draft", "process: slow"),
        *("page: {group: Robots}", "privacy: policy", "success: yes", "author: Anna"),
        *("доступ: все", "группа: А", "色: 赤", "stages: [1]", "page: {role: nurse}"),
    ],
)
def test_a_field_that_closes_nothing_is_left_alone_R_S8(matter: str) -> None:
    """Other tools own it."""
    parsed = markdown.parse(f"---\n{matter}\n---\n{BODY}", "a.md", LIMITS)
    assert (parsed.tags, parsed.topics, parsed.text) == ((), False, BODY.strip())


@every
@pytest.mark.parametrize(
    "body",
    [
        "Access: by the north entrance.",
        "Visibility: 10 km.",
        "Access stages: three.",
        "Groups = 4",
        '{"temperature": 4} is what it prints.',
        ":role:`term` is a role.",
    ],
)
def test_a_text_about_access_is_a_text_R_S8(parse: TextLoader, body: str) -> None:
    assert parse(f"{body}\n", "a.x", LIMITS).text


@every
@pytest.mark.parametrize("tags", ["[sleep]", "sleep", "{a: b}"])
@pytest.mark.parametrize("name", ["tags", "tag", "Tags"])
def test_tags_of_a_vault_are_topics_R_S8(
    parse: TextLoader, name: str, tags: str
) -> None:
    """Who takes the folder in knows whether they may be."""
    parsed = parse(f"---\n{name}: {tags}\n---\n{BODY}", "a.x", LIMITS)
    assert (parsed.tags, parsed.topics) == ((), True)
    closed = parse(f"---\n{name}: {tags}\n{CLOSED}\n---\n{BODY}", "a.x", LIMITS)
    assert (closed.tags, closed.topics) == (("staff",), False)
    assert not parse(f"---\n{name}: []\n---\n{BODY}", "a.x", LIMITS).topics


@every
@pytest.mark.parametrize(
    "head",
    [
        "---\nsource: nci\ntitle: T\n\n",
        "---\nvisibility: board\n\n",
        "+++\ntitle = 'T'\n+++\n\n",
        "+++\nvisibility = 'board'\n\n[more]\nx = 1\n+++\n\n",
        "+++\nweight = 1\n+++\n\n",
        '{"title": "T"}\n\n',
        '{\n"acl": ["board"]\n}\n\n',
    ],
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
    bad = ({"access_tags": [""]}, {"access_tags": []}, {"tag_access": ["staff"]})
    worse = ({"access_tags": ["a\nb"]}, {"access_tags": ["\ud800"]}, {"tags\ud800": 1})
    lines = [{"access_tags": ["staff"]}, {"tags": []}, *bad, *worse]
    whole = "\n".join(json.dumps({**line, "text": BODY}) for line in lines)
    loaded = jsonl.parse(whole, "a.jsonl", LIMITS)
    assert [d.tags for d in loaded.documents] == [("staff",), (), ()]
    assert [problem.split(":")[0] for problem in loaded.problems] == [
        f"a.jsonl#{number}" for number in (3, 4, 5, 6, 7)
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
