"""Renew the picture of a run's report in docs/usage.md.

    python -m scripts.run_screenshots

The question pack for any Python package, with some expectations, asked of the demo
package of `code_audit`.
Written to docs/images/, as scripts/screenshots.py does.
"""

import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from bot.inspection.reports import REPORT
from config.settings import PACKS
from scripts.browser import Screen, open_browser
from scripts.screenshots import IMAGES, LARGEST, PAGE, picture

ROOT = PACKS.parent.parent
PACK = ROOT / "config" / "question_packs" / "python_package.yaml"
CORPUS = PACKS / "code_audit" / "corpus"
EXPECTED = {
    "python_versions": "STATED",
    "unsafe_calls": "NO",
    "secrets": "NO",
    "network": "NO",
    "broad_excepts": "NO",
}
WIDTH = 1000


def report(out: Path) -> Path:
    """The page of a run."""
    pack = yaml.safe_load(PACK.read_text(encoding="utf-8"))
    for asked in pack["questions"]:
        if asked["id"] in EXPECTED:
            asked["expect"] = [EXPECTED[asked["id"]]]
    file = out / "pack.yaml"
    file.write_text(json.dumps(pack), encoding="utf-8")  # JSON is YAML
    words = ["run-pack", str(file), "--repo", str(CORPUS), "--out", str(out)]
    subprocess.run([sys.executable, "-m", "bot", *words], cwd=ROOT, check=False)
    (page,) = out.glob(f"*/{REPORT}")
    return page


async def taken(page: Path) -> bytes:
    """A page as a picture."""
    async with open_browser() as browser:
        screen = Screen(width=WIDTH, scale=1.0, dark=False)
        return await picture(browser, page.as_uri(), PAGE, screen)


def renew(images: Path) -> int:
    """Take the picture; 0 where it is not too large."""
    with tempfile.TemporaryDirectory() as out:
        made = asyncio.run(taken(report(Path(out))))
    (images / "run-report.png").write_bytes(made)
    return 0 if len(made) <= LARGEST else 1


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    raise SystemExit(renew(IMAGES))
