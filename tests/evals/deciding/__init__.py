"""Tests of evals/deciding/."""
