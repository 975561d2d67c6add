"""A reply as a page, drawn as Slack and as Discord show it."""
