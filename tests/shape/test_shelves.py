"""What is said of a document is read by shelf, everywhere (R-S8)."""

import ast
import inspect

from adapters.ledger.store import SqlLedger
from engine.model.ports import Ledger
from tests.shape.source import modules

# Every function that reads a stored description, and what holds it to one shelf.
# `store_version` compares and overwrites; PROOF proves, and tells nobody.
READERS = {
    ("adapters/ledger/versions.py", "read_descriptions"): "held.pack.in_(shelves)",
    ("adapters/ledger/versions.py", "corpus_hash"): "held.pack == pack",
    ("adapters/ledger/versions.py", "_list_states"): "key.pack == pack",
    (
        "adapters/ledger/versions.py",
        "load",
    ): "_match_membership(pack, document, version)",
    ("adapters/ledger/versions.py", "store"): "_list_states(connection, pack, ",
    ("adapters/ledger/versions.py", "list_members"): "memberships.c.pack == pack",
    ("adapters/ledger/versions.py", "_read_member"): "row['pack']",
}
WRITERS = {"store_version", "pack_document", "_move", "_parse_description"}
PROOF = "adapters/ledger/verify.py"


def _reads(node: ast.AST) -> bool:
    """Whether a description is looked at, or all columns of a membership are."""
    if isinstance(node, ast.Attribute) and node.attr == "description":
        return True
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.slice) == "'description'"
    return ast.unparse(node) == "select(memberships)"


def test_every_reader_of_a_description_goes_by_shelf_R_S8() -> None:
    """A new one is added here, with what holds it to a shelf."""
    found: dict[tuple[str, str], str] = {}
    for module in modules():
        ours = module.path.startswith("adapters/ledger/")
        if not ours or "/migrations/" in module.path or module.path == PROOF:
            continue
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.FunctionDef) or node.name in WRITERS:
                continue
            if any(map(_reads, ast.walk(node))):
                found[module.path, node.name] = ast.unparse(node)
    assert found.keys() == READERS.keys()
    for place, text in found.items():
        assert READERS[place] in text, place


def test_every_method_that_tells_of_documents_wants_a_shelf_R_S8() -> None:
    """The ledger and its port: no description without saying whose."""
    told = 0
    for door in (SqlLedger, Ledger):
        for name, method in inspect.getmembers(door, inspect.isfunction):
            returned = str(inspect.signature(method).return_annotation)
            if "Document" in returned or "Membership" in returned:
                pack = inspect.signature(method).parameters["pack"]
                assert pack.default is inspect.Parameter.empty, name
                told += 1
    assert told == 4
