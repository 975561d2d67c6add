"""Tests of question packs run against repositories."""
