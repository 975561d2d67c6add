"""Tests of what a run is told in."""
