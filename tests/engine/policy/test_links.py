"""Only addresses of the source register are shown as links (R-V7)."""

import pytest
from pydantic import ValidationError

from engine.policy.links import find_page, is_below, permit_link
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
    assert permit_link(url, REGISTERED) == url


@pytest.mark.parametrize("url", FOREIGN)
def test_no_other_address_is_a_link_R_V7(url: str) -> None:
    """Other hosts, names before the host, look-alikes, other schemes and ports."""
    assert permit_link(url, REGISTERED) is None


def test_nothing_is_linked_for_a_source_that_the_register_lacks_R_V7() -> None:
    """Nor where there is no address."""
    assert permit_link("https://example.org/", None) is None
    assert permit_link(None, REGISTERED) is None


def test_a_prefix_ends_where_a_name_ends_R_V7() -> None:
    """Docs are not docs-of-somebody-else."""
    assert is_below("https://a.example/docs/x", "https://a.example/docs")
    assert not is_below("https://a.example/docs-x", "https://a.example/docs")


@pytest.mark.parametrize(
    ("base_url", "file", "url"),
    [
        ("https://club.example/files/", "a/b c.md", "files/a/b%20c.md"),
        ("https://club.example/files", "b.pdf", "files/b.pdf"),
        ("https://club.example/wiki/{page}/", "a/b.md", "wiki/a/b/"),
        ("https://club.example/wiki/{page}/", "a/index.md", "wiki/a/"),
        ("https://club.example/wiki/{page}/", "README.md", "wiki/"),
        ("https://club.example/wiki/{page}.html", "a/b.rst", "wiki/a/b.html"),
        ("https://club.example/view?p={path}", "a/b.md", "view?p=a/b.md"),
    ],
)
def test_a_folder_is_mapped_to_a_site_R_U16(base_url: str, file: str, url: str) -> None:
    """Each file has the address of its place there, and that is one to be linked."""
    mapped = Source.model_validate(
        source("files", folder="/srv/club", base_url=base_url)
    )
    found = find_page(f"/srv/club/{file}", mapped)
    assert found == f"https://club.example/{url}"
    assert permit_link(found, mapped) == found
    assert permit_link("https://club.example.evil/files/b.pdf", mapped) is None


def test_a_file_outside_of_the_folder_has_no_address_R_U16() -> None:
    mapped = Source.model_validate(
        source("files", folder="/srv/club", base_url="https://club.example/")
    )
    for place in ("/srv/club2/a.md", "/srv/a.md", "a.md", "/srv/club/../a.md"):
        assert find_page(place, mapped) is None, place
    assert find_page("/srv/club/a.md", REGISTERED) is None
    with pytest.raises(ValidationError, match="no folder"):
        Source.model_validate(source("files", base_url="https://club.example/"))
