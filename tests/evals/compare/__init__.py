"""Tests of evals/compare/."""
