"""Slack as a platform: payloads in, blocks out, and the event handler between them."""
