"""JUnit results as XML, for whatever reports tests."""

from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from adapters.inert import inert

# XML takes neither, written out or not.
_NEVER = str.maketrans({"\ufffe": "\ufffd", "\uffff": "\ufffd"})


def write_document(suites: list[Element], name: str = "") -> str:
    """Write the suites as one file; `name` says what came of all of them."""
    root = Element("testsuites", {"name": clean(name)} if name else {})
    root.extend(suites)
    text = ElementTree.tostring(root, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def make_suite(name: str, tests: list[Element]) -> Element:
    """Make a suite of tests with its counts."""
    counts = {
        "tests": len(tests),
        "failures": sum(test.find("failure") is not None for test in tests),
        "errors": sum(test.find("error") is not None for test in tests),
    }
    made = Element("testsuite", {n: str(v) for n, v in counts.items()})
    made.set("name", clean(name))
    for test in tests:
        test.set("classname", clean(name))
    made.extend(tests)
    return made


def make_case(name: str, place: Mapping[str, str] | None = None) -> Element:
    """Make a test with its place."""
    made = Element("testcase", {"name": clean(name)})
    made.attrib.update({n: clean(text) for n, text in (place or {}).items()})
    return made


def make_result(tag: str, message: str, text: str) -> Element:
    """Make a failure, an error or a remark of a test."""
    made = Element(tag, {"message": clean(message)})
    made.text = clean(text)
    return made


def clean(text: str) -> str:
    """Replace what XML does not take in a text."""
    return inert(text).translate(_NEVER)
