"""Tests of `engine/prompting/`."""
