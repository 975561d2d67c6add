"""Nothing in shown text pings, links, loads or turns letters round (R-V7)."""

import pytest

from engine.text.markup import BREAK, make_inert

ACTIVE = {
    "@everyone": "@|everyone",
    "@Here": "@|Here",
    "<@U123>": "<|@U123>",
    "<@&42>": "<|@&42>",
    "<#C1|general>": "<|#C1|general>",
    "<!channel>": "<|!channel>",
    "<!subteam^S1>": "<|!subteam^S1>",
    "</help:42>": "<|/help:42>",
    "<:smile:42>": "<|:smile:42>",
    "<t:1700000000>": "<|t:1700000000>",
    "<https://evil.example/|here>": "<|https:|//evil.example/|here>",
    "[here](https://evil.example/)": "[here]|(https:|//evil.example/)",
    "![i](http://evil.example/i.png)": "![i]|(http:|//evil.example/i.png)",
    "[here](//evil.com)": "[here]|(//evil|.com)",
    "<img src=x>": "<|img src=x>",
    "<script>": "<|script>",
    "https://evil.example/a": "https:|//evil.example/a",
    "HTTPS://evil.example/a": "HTTPS:|//evil.example/a",
    "www.evil.example": "www|.evil.example",
    "evil.com": "evil|.com",
    "bit.ly/abc": "bit|.ly/abc",
    "javascript:alert(1)": "javascript:|alert(1)",
    "data:text/html,x": "data:|text/html,x",
    "mailto:someone": "mailto:|someone",
    "a\u202eb\u2066c\U000e0041d": "abcd",
}
PLAIN = [
    "A plain sentence, e.g. this one at 10:30.",
    "<robot name='arm'><link name='base'/></robot>",
    "@dataclass class Node",
    "package://arm/meshes/base.dae",
    "std::string name = std::move(other);",
    "call handlers[0](message)",
    "rclpy.node.Node and sensor_msgs.msg",
    "p.m. and a.m., 5 < 6 and 7 > 6",
]
ADDRESSES = [
    "https://www.cancer.gov/about-cancer",
    "cancer.gov",
    "https://www.cancer.gov.evil.com/",
    "https://www.cancer.gov@evil.com/",
    "https://user@www.cancer.gov/",
    "https://www.cancer.gov:8443/",
    "https://www.cancer.gov/../etc",
    "https://www.cancer.gov/%2e%2e/x",
    "https://www.cancer.gov//evil.com",
    "https://www.cancer.gov/search?q=secret",
    "https://www.cancer.gov/#secret",
    "https://www.c\u0430ncer.gov/",
    "http://www.cancer.gov/",
    "hxxps://www.cancer.gov/",
    "ftp://www.cancer.gov/",
    "https://docs.example.org/en/latest-evil/",
    "https://evil.example/https://www.cancer.gov/",
    "https://www.cancer.gov\\@evil.com",
]


@pytest.mark.parametrize("text", ACTIVE)
def test_markup_and_mentions_are_made_inert_R_V7(text: str) -> None:
    """Each is broken by a character without width; no letter is lost."""
    assert make_inert(text).replace(BREAK, "|") == ACTIVE[text]


@pytest.mark.parametrize("text", PLAIN)
def test_plain_text_and_code_stay_R_V7(text: str) -> None:
    """Robot descriptions, decorators and packages."""
    assert make_inert(text) == text


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_address_is_broken_R_V7(address: str) -> None:
    """Those of the register too: only a citation leads to a page."""
    shown = make_inert(f"Read {address} now.")
    assert address not in shown
    assert shown.replace(BREAK, "") == f"Read {address} now."
