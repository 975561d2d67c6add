"""Tests of evals/relevance/."""
