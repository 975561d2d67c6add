"""Tests of the fits and figures."""
