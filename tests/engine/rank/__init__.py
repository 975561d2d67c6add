"""Tests of `engine/rank/`."""
