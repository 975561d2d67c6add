"""Marks of Markdown's dialects are structure, not text."""

import pytest

from adapters.loaders import html, markdown
from adapters.loaders.limits import Limits
from engine.documents.corpus import build_document
from engine.model.document import Document
from tests.adapters.loaders.blocks import blocks_of, lead_ins


def told(text: str) -> list[str]:
    """Every block, below a box's title as "title > text"."""
    parsed = markdown.parse(text, "page.md", Limits())
    shown = []
    for (kind, _, said), led in zip(blocks_of(parsed), lead_ins(parsed), strict=True):
        mark = {"code": "`", "heading": "# ", "list_item": "- "}.get(kind, "")
        shown.append(f"{led} > {mark}{said}" if led else f"{mark}{said}")
    return shown


def document(text: str) -> Document:
    return build_document(markdown.parse(text, "page.md", Limits()), "source")


BOXES = {
    "mkdocs": (
        '!!! warning "Token *validity*"\n    Tokens live `48` [hours](x).\n\nNext one.',
        ["Token validity", "Token validity > Tokens live 48 hours.", "Next one."],
    ),
    "mkdocs without a title": (
        "!!! note\n    Keep it.\n\n    - one thing\n\nNext one.",
        ["Keep it.", "Keep it. > - one thing", "Next one."],
    ),
    "mkdocs with an empty title": ('!!! tip ""\n    Keep it.', ["Keep it."]),
    "mkdocs with classes": ("!!! info inline end\n\n    Stand back.", ["Stand back."]),
    "mkdocs, two blank lines": (
        '!!! note "Fees"\n    One.\n\n\n    Two is more.\n\nNext one.',
        ["Fees", "Fees > One.", "Fees > Two is more.", "Next one."],
    ),
    "collapsed": (
        '???+ question "How do I reset it?"\n    Hold the button.\n\n'
        '??? note "B"\n    C d.',
        [
            *("How do I reset it?", "How do I reset it? > Hold the button."),
            *("B", "B > C d."),
        ],
    ),
    "tabs": (
        '=== "Linux"\n\n    Run this.\n\n    ```\n    apt\n    ```\n\n=== "Mac"\n\n'
        "    Run that.\n\nNext one.",
        [
            *("Linux", "Linux > Run this.", "Linux > `apt"),
            *("Mac", "Mac > Run that.", "Next one."),
        ],
    ),
    "tabs inside a box": (
        '!!! note "Setup"\n    === "Linux"\n        Run this.\n\n    Then wait.',
        ["Setup", "Setup > Linux", "Linux > Run this.", "Setup > Then wait."],
    ),
    "blocks of pymdown": (
        "/// tip | Short *way*\n    open: true\n\nUse it.\n///\n\n"
        "/// note\nKeep it.\n///",
        ["Short way", "Short way > Use it.", "Keep it."],
    ),
    "blocks inside blocks": (
        "//// details | Outer\n/// html | div.x\nInner text.\n///\n////\n\nNext one.",
        ["Outer", "Outer > Inner text.", "Next one."],
    ),
    "docusaurus": (
        ":::tip[Short way]\nUse it.\n:::\n\n:::warning\nMind it.\n:::\n\nNext one.",
        ["Short way", "Short way > Use it.", "Mind it.", "Next one."],
    ),
    "vitepress": (
        "::: details Show the code\nUse it.\n:::\n",
        ["Show the code", "Show the code > Use it."],
    ),
    "pandoc and quarto": (
        ':::: {.callout-note title="Fees"}\n::: {#a .b}\nUse it.\n:::\n::::\nNext one.',
        ["Fees", "Fees > Use it.", "Next one."],
    ),
    "myst": (
        ":::{admonition} Fees\n:class: tip\nUse it.\n:::\n\n"
        "```{warning} Hot\nMind it.\n```",
        ["Fees", "Fees > Use it.", "Hot", "Hot > Mind it."],
    ),
    "myst, code inside": (
        "````{note}\nUse this:\n```bash\nls\n```\n````\n```{toctree}\na\nb\n```\n",
        ["Use this:", "`ls"],
    ),
    "github": (
        "> [!WARNING]\n> Mind it.\n> And this.\n\nNext one.",
        ["Mind it. And this.", "Next one."],
    ),
    "obsidian": (
        "> [!faq]- Is it open?\n> Yes, daily.\n>\n> - in May\n\nNext one.",
        [
            *("Is it open?", "Is it open? > Yes, daily."),
            *("Yes, daily. > - in May", "Next one."),
        ],
    ),
    "hugo": (
        '{{% notice tip "Fees" %}}\nPay *now*.\n{{% /notice %}}\n\n{{< note >}}\n'
        'Wait.\n{{< /note >}}\n\n{{< figure src="a.png" caption="The old hall." >}}\n'
        "Next one.",
        ["Fees", "Fees > Pay now.", "Wait.", "The old hall. Next one."],
    ),
    "hugo in one line": (
        '{{< alert title="Fees" >}}Pay *now*.{{< /alert >}}\n\n'
        '{{% expand "Hours" %}}Come in May.{{% /expand %}}\n\n'
        "{{< note >}}Wait.{{< /note >}}\n\nIt is {{< b >}}free{{< /b >}}. Next one.",
        [
            *("Fees", "Fees > Pay now.", "Hours", "Hours > Come in May."),
            *("Wait.", "It is free. Next one."),
        ],
    ),
    "tabs of hugo": (
        '{{< tabs >}}\n{{< tab "Linux" >}}\nRun this.\n{{< /tab >}}\n'
        '{{< tab name="Mac" >}}\nRun that.\n{{< /tab >}}\n{{< /tabs >}}\n\nNext one.',
        ["Linux", "Linux > Run this.", "Mac", "Mac > Run that.", "Next one."],
    ),
    "gitbook": (
        '{% hint style="info" %}\nMind it.\n{% endhint %}\n\n{% tab title="Mac" %}\n'
        "Run that.\n{% endtab %}",
        ["Mind it.", "Mac", "Mac > Run that."],
    ),
    "definitions": (
        "Deposit\n:   Paid once.\n:   Paid back.\n\nFee\nDues\n: Paid monthly.\n\n"
        "Next one.",
        [
            *("Deposit", "Deposit > Paid once.", "Deposit > Paid back."),
            *("Fee, Dues", "Fee, Dues > Paid monthly.", "Next one."),
        ],
    ),
    "never closed": (
        "::: warning\nMind it.\n\n::: pkg.module\n    options: x\n\nNext one.",
        ["Mind it.", "Next one."],
    ),
    "in a list": (
        '- Step one.\n\n    !!! tip "Short"\n        Use it.\n\n- Step two.',
        ["- Step one.", "Short", "Short > - Use it.", "- Step two."],
    ),
}


@pytest.mark.parametrize("case", BOXES)
def test_boxes_tabs_and_definitions_are_structure_R_A15(case: str) -> None:
    text, shown = BOXES[case]
    assert told(text) == shown


LINES = {
    "values": (
        "It costs {{ site.fee }} euros on {{< param day >}} and {% data x.y %}.",
        "It costs … euros on … and ….",
    ),
    "a value that is told": ('Say {{ "hello" | upcase }} to it.', "Say hello to it."),
    "links": (
        '[one]({{ site.url }}/a) [two]({{< ref "b.md" >}}) [three]({% link c.md %})',
        "one two three",
    ),
    "a choice inside a line": (
        "It listens on port {% if v2 %}80{% else %}90{% endif %}.",
        "It listens on port ….",
    ),
    "a choice of blocks": ("{% if v2 %}\nUse it.\n{% endif %}", "Use it."),
    "include": ('{% include note.html content="Use *it*." %}', "Use it."),
    "comments": (
        "{% comment %}\nsecret\n{% endcomment %}{{/* hidden */}}{# gone #}Use it.",
        "Use it.",
    ),
    "raw": ("{% raw %}Write {{ name }}.{% endraw %}", "Write {{ name }}."),
    "backticks": (
        "Write `{{ name }}` and `[[x]]` and ``{% y ` %}``.",
        "Write {{ name }} and [[x]] and {% y ` %}.",
    ),
    "wiki links": (
        "See [[Fees]], [[Fees#May|the fees]] and [[Fees#May]]. ![[plan.png]]",
        "See Fees, the fees and Fees > May.",
    ),
    "no wiki links": (
        "[[1]](#a) and if [[ -f x ]] and [[2, 3]][a]\n\n[a]: b",
        "[1] and if [[ -f x ]] and [2, 3]",
    ),
    "marks of obsidian": ("It is ==free== in May. %%ask Ana%%", "It is free in May."),
    "no marks": ("a==b==c is 50%% of 100%", "a==b==c is 50%% of 100%"),
    "attributes": (
        'Use [it](x){: target="_blank" }, `that`{.py} and *this*{ .big #a }.\n'
        "{: .note }",
        "Use it, that and this.",
    ),
    "attributes in code": ("Write `# A {#b}` and `c`{.py}.", "Write # A {#b} and c."),
    "keys and icons": (
        "Press ++ctrl+c++ in C++ or C++17 :material-check: and wait: [a](b):",
        "Press ctrl+c in C++ or C++17  and wait: a:",
    ),
    "contents": ("[TOC]\n\n[[_TOC_]]\n\n{:toc}\n\nUse it.", "Use it."),
    "snippets and abbreviations": (
        '--8<-- "a.md"\n\n{!b.md!}\n\n{* c.py *}\n\n*[API]: A thing\n\nUse the API.',
        "Use the API.",
    ),
    "boxes to tick": ("- [ ] one\n- [x] two", "☐ one\n☑ two"),
}


@pytest.mark.parametrize("case", LINES)
def test_marks_inside_lines_are_not_text_R_A15(case: str) -> None:
    text, shown = LINES[case]
    assert markdown.parse(text, "page.md", Limits()).text == shown


CODE = [
    "```\n{{ x }}\n::: y\n!!! z\n[[w]]\n```",
    '~~~python\n=== "a"\n==b==\n~~~',
    "    {{ x }}\n    [[ -f y ]]",
    "{% highlight bash %}\nls {{ x }} [[y]]\n{% endhighlight %}",
]


@pytest.mark.parametrize("text", CODE)
def test_code_is_left_alone_R_A15(text: str) -> None:
    ((kind, _, said),) = blocks_of(markdown.parse(text, "page.md", Limits()))
    lines = [line for line in text.split("\n") if "{%" not in line]
    plain = "\n".join(x.strip() for x in lines if not x.startswith(("```", "~~~")))
    assert (kind, said) == ("code", plain)


def test_what_a_box_says_is_quoted_with_its_title_and_not_below_it_R_A15() -> None:
    page = document('=== "Linux"\n    Run this first.\n\nThe fee is 3 euros.\n')
    leaning = {s.of(page.text): s.leans_on for s in page.sentences}
    assert [span.of(page.text) for span in leaning["Run this first."]] == ["Linux"]
    assert not leaning["The fee is 3 euros."]


def test_a_short_box_labels_nothing_below_it_R_A15() -> None:
    page = document("!!! note\n    Members only\n\nThe fee is 3 euros.\n")
    assert not page.sentences[-1].leans_on and page.sentences[0].closed


def test_definitions_and_details_of_html_are_structure_R_A15() -> None:
    markup = (
        "<dl><dt>Deposit<dd>Paid once.<dt>Fee<dt>Dues<dd>Paid monthly.</dl>"
        "<details><summary>Is it <b>open</b>?</summary><p>Yes, daily.</p></details>"
        "<p>Next one.</p>"
    )
    parsed = html.parse(markup, "page.html", Limits())
    texts = [said for _, _, said in blocks_of(parsed)]
    assert dict(zip(texts, lead_ins(parsed), strict=True)) == {
        "Deposit": None,
        "Paid once.": "Deposit",
        "Fee, Dues": None,
        "Paid monthly.": "Fee, Dues",
        "Is it open?": None,
        "Yes, daily.": "Is it open?",
        "Next one.": None,
    }


@pytest.mark.parametrize(
    "text",
    [
        "{{ x " * 20_000,
        "`" * 9_999 + " {{ x }}",
        "{% if x %}" * 10_000,
        "::: a\n" * 5_000,
        "[[" * 2_000,
        "> [!note] x\n" * 5_000,
        '!!! note "x"\n' * 5_000,
        "`a ``b ```c " * 5_000 + "{{ x }}",
    ],
)
def test_hostile_marks_take_no_time_R_S2(text: str) -> None:
    markdown.parse(text, "page.md", Limits())
