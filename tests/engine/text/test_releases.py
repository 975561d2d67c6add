"""A release that no passage speaks of is not answered from another one (R-A16)."""

import pytest

from engine.text.releases import find_unmentioned_releases
from tests.engine.small_pack import chunk

HELD = chunk(0.9).model_copy(
    update={
        "title": "Notes to release 3.10",
        "text": "The gateway listens on port 8443 from release 3.1 on.",
    }
)


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("On which port does it listen in release 4.0?", ("release 4.0",)),
        ("which port in version 4", ("version 4",)),
        ("which port in v4.2.1", ("v4.2.1",)),
        ("which port in the 4.0 release", ("4.0 release",)),
        ("which port in release 3.2", ("release 3.2",)),
        ("which port in release 3.10", ()),
        ("which port in release 3.1", ()),
        ("which port in version 3.10.0", ()),
        ("what changed between version 3.1 and version 4.0", ()),
        ("what is port 4.0", ()),
        ("a version of 5 pages", ()),
    ],
)
def test_a_release_that_no_passage_has_is_missing_R_A16(
    text: str, missing: tuple[str, ...]
) -> None:
    assert find_unmentioned_releases(text, [HELD]) == missing
