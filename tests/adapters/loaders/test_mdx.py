"""Markdown with components: what a reader of the site sees (R-U12, R-A15)."""

from pathlib import Path

import pytest

from tests.adapters.loaders.office import headed, read

PAGE = """---
title: Keys
---
import Tabs from '@theme/Tabs'
import {
  Badge,
} from './badge'

export const year = 2026

# Keys {/* a comment */}

<Callout type="warning" title="Before you come">
A key is lent for **one week**.

- one a member
- none for guests
</Callout>

<Tabs>
  <TabItem value="a" label="Adults">
    Adults pay 20 euro.
  </TabItem>
</Tabs>

Open since {year}, says <Badge color={{a: 1}}>the board</Badge>.{' '}Bring \\{this\\}.

| Boat | Fee |
|---|---|
| Kayak | <Price value={5} /> |
| Yacht | 9 |

<PriceList currency="euro" />

```jsx
import x from 'y'
<Callout>{shown}</Callout>
```
"""


def test_components_are_boxes_and_words_and_imports_are_no_text_R_U12_R_A15(
    tmp_path: Path,
) -> None:
    """Code stays as it is written, a computed value is one that nobody knows."""
    parsed = read("a.mdx", PAGE.encode(), tmp_path)
    assert parsed.title == "Keys"
    assert parsed.text.split("\n\n")[0] == "Keys"
    for gone in ("theme", "Badge", "a comment", "export", "TabItem", "color"):
        assert gone not in parsed.text.replace("Callout>{shown}", "")
    for kept in (
        "Before you come",
        "A key is lent for one week.",
        "Adults pay 20 euro.",
        "Open since …, says the board. Bring {this}.",
        "import x from 'y'\n<Callout>{shown}</Callout>",
    ):
        assert kept in parsed.text
    assert headed(parsed) == ["Boat/Kayak | Fee/…", "Boat/Yacht | Fee/9"]
    titles = [b.of(parsed.text) for b in parsed.blocks if b.unfinished]
    assert titles == ["Before you come", "Adults"]
    assert parsed.remarks


@pytest.mark.parametrize("text", ["{", "<", "<A", "{`", "a < b {", "<A b={", "```\n{"])
def test_what_is_not_closed_is_text_R_U12(tmp_path: Path, text: str) -> None:
    """And ends no reading."""
    assert "Rest." in read("a.mdx", f"Rest.\n\n{text}".encode(), tmp_path).text
