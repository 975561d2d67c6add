"""Tests of `engine/drafts/`."""
