"""reStructuredText to canonical text."""

import pytest

from adapters.loaders.limits import Limits
from adapters.loaders.rst import parse
from engine.model.document import Parsed
from engine.model.errors import DocumentError, DocumentTooLarge
from tests.adapters.loaders.blocks import blocks_of, lead_ins


def load(text: str) -> Parsed:
    return parse(text, "a/b.rst", Limits())


@pytest.mark.parametrize(
    ("rst", "shown"),
    [
        ("**Rest** is *good*, ``a_b`` too.", "Rest is good, a_b too."),
        ("See :doc:`the guide <../../Guide>` now.", "See the guide now."),
        ("See :doc:`the guide<../../Guide>` now.", "See the guide now."),
        ("See :doc:`../../Guide` now.", "See Guide now."),
        ("See :ref:`label` and :kbd:`Ctrl`.", "See label and Ctrl."),
        ("Call :py:func:`~rclpy.node.spin` once.", "Call spin once."),
        ("Use :cpp:type:`std::vector<int>` here.", "Use std::vector<int> here."),
        ("A `link <https://e.org>`__ and `two words`_.", "A link and `two words`_."),
        ("All |APIs| of |GitHub|_.", "All APIs of GitHub."),
        ("10\\ :sup:`2` and H\\ :sub:`2`\\ O", "10² and H₂O"),
        ("wrapped\nline and line-\nend", "wrapped line and line-\nend"),
    ],
)
def test_inline_markup_is_gone_and_its_text_stays(rst: str, shown: str) -> None:
    """Roles that docutils does not know keep their text."""
    assert [text for _, _, text in blocks_of(load(rst))] == [shown]


def test_sphinx_directives_keep_the_readers_text() -> None:
    """Tabs, notes, code and tables are read; contents and redirects are not shown."""
    text = """
.. redirect-from::

    Old/Path

.. _label:

Title
=====

.. contents:: Contents
   :depth: 2

.. tabs::

   .. group-tab:: Linux

      .. code-block:: console
         :linenos:

         sudo apt install x
           indented

.. tip:: Mind this.

.. versionadded:: 1.2
   A new way.

.. list-table::
   :header-rows: 1

   * - Name
     - ``Type``
   * - a b
     - int

Part
----
::

  literal

.. image:: x.png
   :alt: A turtle on a blue ground
"""
    assert blocks_of(load(text)) == [
        ("heading", 1, "Title"),
        ("paragraph", 0, "Linux"),
        ("code", 0, "sudo apt install x\n  indented"),
        ("paragraph", 0, "Mind this."),
        ("paragraph", 0, "1.2 A new way."),
        ("table_row", 0, "Name | Type"),
        ("table_row", 0, "a b | int"),
        ("heading", 2, "Part"),
        ("code", 0, "literal"),
        ("paragraph", 0, "A turtle on a blue ground"),
    ]


def test_lists_definitions_and_fields_know_what_introduces_them() -> None:
    """Nested lists, terms and enumerations keep their order and their marks."""
    text = """
Steps are:

#. first
#. second:

   * inner

term
  What it is.

:Author: Somebody
"""
    parsed = load(text)
    assert blocks_of(parsed) == [
        ("paragraph", 0, "Steps are:"),
        ("list_item", 1, "1. first"),
        ("list_item", 1, "2. second:"),
        ("list_item", 2, "inner"),
        ("paragraph", 0, "term"),
        ("list_item", 1, "What it is."),
        ("paragraph", 0, "Author: Somebody"),
    ]
    assert lead_ins(parsed) == [
        None,
        "Steps are:",
        "Steps are:",
        "2. second:",
        None,
        "term",
        None,
    ]


def test_nothing_is_included_from_elsewhere_R_S2() -> None:
    """Files and raw markup that a page asks for stay out."""
    text = (
        "Before.\n\n.. include:: /etc/hostname\n\n.. raw:: html\n\n   <b>x</b>\n\n"
        ".. csv-table::\n   :file: /etc/passwd\n\n"
        ".. literalinclude:: /etc/passwd\n\nAfter.\n"
    )
    parsed = load(text)
    assert "root" not in parsed.text and "<b>" not in parsed.text
    assert parsed.text.startswith("Before.") and parsed.text.endswith("After.")


def test_text_that_does_not_parse_is_kept() -> None:
    """A broken table is shown as it was written, without the parser's complaint."""
    text = "===  ===\na    b\n===  ===\n1    2 and far too long\n=== ===\n\nAfter.\n"
    parsed = load(text)
    assert "far too long" in parsed.text and "After." in parsed.text
    assert "Malformed" not in parsed.text


def test_nesting_and_endless_lines_are_refused_R_S2() -> None:
    """Too deep or too wide is an error that names the file."""
    deep = "\n\n".join("  " * depth + "* x" for depth in range(400))
    with pytest.raises(DocumentError, match=r"a/b\.rst: .*nest"):
        load(deep)
    with pytest.raises(DocumentTooLarge, match="line 3"):
        load("x\n\n" + "y" * 100_001)


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("html", True),
        ("never", False),
        ("latex", False),
        ("html and not never", True),
        ("not html", False),
        ("latex or builder_html", True),
        ("(latex or never) and html", False),
        ("(html", True),
        ("x.y", True),
    ],
)
def test_only_shows_what_a_page_on_the_web_is_built_with_R_A15(
    wanted: str, shown: bool
) -> None:
    """What cannot be read is shown, as Sphinx does."""
    page = f"First.\n\n.. only:: {wanted}\n\n   Inside.\n\nLast.\n"
    text = parse(page, "a.rst", Limits()).text
    assert text == ("First.\n\nInside.\n\nLast." if shown else "First.\n\nLast.")


@pytest.mark.parametrize(
    "directive",
    [
        ".. todo:: no",
        ".. testsetup::\n\n   no",
        ".. testcleanup::\n\n   no",
        ".. testcode::\n   :hide:\n\n   no",
        ".. ifconfig:: edition in ('pro',)\n\n   no",
        ".. raw:: html\n\n   <p>no</p>",
        ".. no\n   no",
        ".. comment\n\n   no",
        ".. meta::\n   :description: no",
    ],
)
def test_what_a_page_is_built_without_is_no_text_R_A15(directive: str) -> None:
    parsed = parse(f"First.\n\n{directive}\n\nLast.\n", "a.rst", Limits())
    assert parsed.text == "First.\n\nLast."
    assert bool(parsed.remarks) == ("ifconfig" in directive)


def test_what_a_role_strikes_out_says_so_R_A15() -> None:
    """A role of the page's own, or one that themes have."""
    page = ".. role:: strike\n\nTake :strike:`500` :del:`mg` 5 mg.\n"
    assert parse(page, "a.rst", Limits()).text == "Take ~~500~~ ~~mg~~ 5 mg."
