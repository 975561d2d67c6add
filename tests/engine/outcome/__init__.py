"""Tests of `engine/outcome/`."""
