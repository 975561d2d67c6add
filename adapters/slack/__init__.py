"""Slack as a platform: payloads in, blocks out, and the doorbell between them."""
