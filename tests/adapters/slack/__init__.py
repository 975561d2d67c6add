"""Tests of Slack's rooms."""
