"""Tests of config/."""
