"""The tables of the embedded index's catalogue."""

SCHEMA = 4
TABLES = """
CREATE TABLE identity (field TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE head (
    revision INTEGER NOT NULL, generation INTEGER NOT NULL, rows INTEGER NOT NULL,
    tokens INTEGER NOT NULL, terms INTEGER NOT NULL,
    questions INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE documents (
    key INTEGER PRIMARY KEY, pack TEXT NOT NULL, tenant TEXT NOT NULL,
    document TEXT NOT NULL, version TEXT NOT NULL, state INTEGER NOT NULL,
    first_row INTEGER NOT NULL, rows INTEGER NOT NULL, in_force_from TEXT,
    in_force_to TEXT, tags TEXT NOT NULL, demo INTEGER NOT NULL
);
CREATE INDEX documents_by_name ON documents (pack, tenant, document);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY, id TEXT NOT NULL, document INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE INDEX chunks_by_id ON chunks (id);
CREATE INDEX chunks_by_place ON chunks (document, ordinal);
CREATE TABLE vocabulary (number INTEGER PRIMARY KEY, stem TEXT NOT NULL);
CREATE TABLE questions (
    number INTEGER PRIMARY KEY, row INTEGER NOT NULL, text TEXT NOT NULL
);
CREATE TABLE words (number INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE);
CREATE TABLE counted (document INTEGER PRIMARY KEY, counts BLOB NOT NULL);
INSERT INTO head VALUES (0, 1, 0, 0, 0, 0);
"""
