"""Tests of `engine/pipeline/`."""
