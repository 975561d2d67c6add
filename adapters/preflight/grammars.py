"""The languages that are parsed: their grammars, and queries for definitions.

Each query captures a name by the kind of its definition. Kinds are unified across
languages: a struct is a class, a trait an interface.
"""

import mimetypes
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_typescript
from tree_sitter import Language, Query

from adapters.preflight.content import WIDE

_PYTHON = """
(module (expression_statement (assignment left: (identifier) @constant)))
(function_definition name: (identifier) @function)
(class_definition name: (identifier) @class)
(class_definition body: (block (function_definition name: (identifier) @method)))
(class_definition body: (block
  (decorated_definition (function_definition name: (identifier) @method))))
"""
_SCRIPT = """
(function_declaration name: (identifier) @function)
(generator_function_declaration name: (identifier) @function)
(variable_declarator name: (identifier) @function
  value: [(arrow_function) (function_expression)])
(method_definition name: (property_identifier) @method)
"""
_JAVASCRIPT = _SCRIPT + "(class_declaration name: (identifier) @class)"
_TYPESCRIPT = (
    _SCRIPT
    + """
(class_declaration name: (type_identifier) @class)
(abstract_class_declaration name: (type_identifier) @class)
(interface_declaration name: (type_identifier) @interface)
(type_alias_declaration name: (type_identifier) @type)
(enum_declaration name: (identifier) @type)
(method_signature name: (property_identifier) @method)
(function_signature name: (identifier) @function)
"""
)
_GO = """
(function_declaration name: (identifier) @function)
(method_declaration name: (field_identifier) @method)
(type_spec name: (type_identifier) @class type: (struct_type))
(type_spec name: (type_identifier) @interface type: (interface_type))
(type_spec name: (type_identifier) @type
  type: [(type_identifier) (map_type) (slice_type) (function_type) (pointer_type)])
(const_spec name: (identifier) @constant)
"""
_RUST = """
(struct_item name: (type_identifier) @class)
(enum_item name: (type_identifier) @type)
(union_item name: (type_identifier) @class)
(type_item name: (type_identifier) @type)
(trait_item name: (type_identifier) @interface)
(mod_item name: (identifier) @module)
(const_item name: (identifier) @constant)
(static_item name: (identifier) @constant)
(declaration_list (function_item name: (identifier) @method))
(function_item name: (identifier) @function)
"""
_JAVA = """
(class_declaration name: (identifier) @class)
(record_declaration name: (identifier) @class)
(interface_declaration name: (identifier) @interface)
(enum_declaration name: (identifier) @type)
(method_declaration name: (identifier) @method)
(constructor_declaration name: (identifier) @method)
"""


@dataclass(frozen=True, slots=True)
class _Source:
    """The factory of a grammar, and its query."""

    grammar: Callable[[], object]
    definitions: str


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language, ready to parse."""

    language: Language
    definitions: Query


_SOURCES: Mapping[str, _Source] = {
    "python": _Source(tree_sitter_python.language, _PYTHON),
    "javascript": _Source(tree_sitter_javascript.language, _JAVASCRIPT),
    "typescript": _Source(tree_sitter_typescript.language_typescript, _TYPESCRIPT),
    "tsx": _Source(tree_sitter_typescript.language_tsx, _TYPESCRIPT),
    "go": _Source(tree_sitter_go.language, _GO),
    "rust": _Source(tree_sitter_rust.language, _RUST),
    "java": _Source(tree_sitter_java.language, _JAVA),
}
EXTENSIONS: Mapping[str, str] = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}


@cache
def load_grammar(name: str) -> Grammar:
    """Load a language by its name, once."""
    source = _SOURCES[name]
    language = Language(source.grammar())
    return Grammar(language, Query(language, source.definitions))


def find_language(path: str) -> str | None:
    """Find the language of a file by its name; return None where it is unknown."""
    dot = path.rfind(".")
    return EXTENSIONS.get(path[dot:].lower()) if dot >= 0 else None


# Text files that Python's table of types lacks, or has with another type.
_TEXTS = frozenset(
    {
        *EXTENSIONS,
        *(".pyw", ".pyx", ".pxd", ".toml", ".ini", ".cfg", ".conf", ".env", ".yaml"),
        *(".yml", ".json", ".xml", ".md", ".rst", ".txt", ".properties", ".lock"),
        *(".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".rb", ".php"),
        *(".pl", ".lua", ".kt", ".cs", ".swift", ".scala", ".sql", ".tf", ".gradle"),
    }
)
_TYPES = mimetypes.MimeTypes()  # Python's own table, the same on every machine


def is_text(path: str, data: bytes) -> bool:
    """Tell whether a file claims to be text, by its name or its first bytes."""
    suffix = os.path.splitext(path)[1].lower()
    kind = _TYPES.types_map[True].get(suffix, "")
    named = suffix in _TEXTS or kind.startswith("text/")
    return named or data.startswith((b"#!", *WIDE))
