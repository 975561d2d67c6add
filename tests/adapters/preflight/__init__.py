"""Tests of questions about repositories."""
