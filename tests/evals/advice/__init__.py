"""Tests of evals/advice/."""
