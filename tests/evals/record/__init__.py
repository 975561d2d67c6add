"""Tests of evals/record/."""
