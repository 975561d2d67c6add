"""Two sessions of the tests beside each other."""

from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from sqlalchemy import URL


def test_a_session_that_begins_closes_no_database(
    postgresql: URL, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """pytest takes its folders away from others at the start of every session."""
    parts = [tmp_path_factory.getbasetemp(), *tmp_path_factory.getbasetemp().parents]
    for folder in parts:
        if folder.name.startswith("pytest-of-"):
            folder.chmod(0o700)
    plain = postgresql.set(drivername="postgresql")
    with psycopg.connect(
        plain.render_as_string(hide_password=False), autocommit=True
    ) as connection:
        connection.execute(f"CREATE DATABASE beside_{uuid4().hex}")
    assert not Path(str(postgresql.query["host"])).is_relative_to(parts[0])
