"""Only addresses of the source register are shown as links (R-V7)."""

import pytest

from engine.policy.links import below, permitted
from engine.policy.records import Source
from tests.engine.small_pack import source

REGISTERED = Source.model_validate(
    source(
        "pages",
        homepage="https://www.example.net/about",
        url_prefixes=[
            "https://example.org/",
            "https://docs.example.org/lcd?id=",
            "https://wiki:8443/",
        ],
    )
)
GOOD = [
    "https://example.org",
    "https://example.org/",
    "https://EXAMPLE.org/page?a=b#c",
    "https://example.org:443/page",
    "https://example.org/a/%C3%A9t%C3%A9",
    "https://example.org/été",
    "https://docs.example.org/lcd?id=12",
    "https://wiki:8443/page",
    "https://www.example.net/about",
    "https://www.example.net/about/",
]
FOREIGN = [
    "https://evil.example/login",
    "https://example.org@evil.example/",
    "https://example.org:443@evil.example/",
    "https://user:secret@example.org/",
    "https://example.org.evil.example/",
    "https://example.orgevil.example/",
    "https://evil.example/https://example.org/",
    "https://evil.example?https://example.org/",
    "https://xn--exmple-cua.org/",
    "https://ex\u0430mple.org/",
    "https://example\u200b.org/",
    "https://example\u3002org/",
    "https://\uff45xample.org/",
    "https://127.0.0.1:9470/",
    "https://[::1]/",
    "https://2130706433/",
    "https://localhost/",
    "http://example.org/",
    "https://example.org:8443/",
    "https://example.org\\@evil.example/",
    "https:\\\\example.org/",
    "https:///example.org/",
    "https:example.org",
    "//example.org/",
    "https://example.org/\u202etxt",
    "https://example.org/a b",
    "https://example.org/a\nb",
    "\thttps://example.org/",
    "https://exam\tple.org/",
    "https://docs.example.org/other",
    "https://docs.example.org/lcd-evil",
    "https://docs.example.org/x/../lcd?id=1",
    "https://wiki/page",
    "https://wiki:8443/%2e%2e/x",
    "https://www.example.net/",
    "https://www.example.net/about/more",
    "https://www.example.net.evil.example/about",
    "javascript:alert(1)",
    "data:text/html,x",
    "slack://open",
    "ftp://example.org/",
    "https://example.org:99999/",
    "https://[example.org/",
    "",
]


@pytest.mark.parametrize("url", GOOD)
def test_an_address_of_its_source_is_a_link_R_V7(url: str) -> None:
    """Below a prefix, or equal to the homepage."""
    assert permitted(url, REGISTERED) == url


@pytest.mark.parametrize("url", FOREIGN)
def test_no_other_address_is_a_link_R_V7(url: str) -> None:
    """Other hosts, names before the host, look-alikes, other schemes and ports."""
    assert permitted(url, REGISTERED) is None


def test_nothing_is_linked_for_a_source_that_the_register_lacks_R_V7() -> None:
    """Nor where there is no address."""
    assert permitted("https://example.org/", None) is None
    assert permitted(None, REGISTERED) is None


def test_a_prefix_ends_where_a_name_ends_R_V7() -> None:
    """Docs are not docs-of-somebody-else."""
    assert below("https://a.example/docs/x", "https://a.example/docs")
    assert not below("https://a.example/docs-x", "https://a.example/docs")
