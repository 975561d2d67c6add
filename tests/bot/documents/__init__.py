"""Tests of bot/documents/."""
