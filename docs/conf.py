"""How the pages of this folder become a site: `make docs`."""

from sphinx.application import Sphinx

project = "Groundrule"
extensions = ["myst_parser"]
myst_heading_anchors = 3  # a link may lead to a heading, as it does on a code host
html_theme = "furo"
html_title = "Groundrule"
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Let links to CONTRIBUTING.md lead to its page here."""
    app.connect("source-read", _keep_inside)


def _keep_inside(app: Sphinx, docname: str, source: list[str]) -> None:
    source[0] = source[0].replace("](../CONTRIBUTING.md", "](contributing.md")
