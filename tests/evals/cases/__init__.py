"""Tests of evals/cases/."""
