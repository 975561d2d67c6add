"""Tests of bot/preview/."""
