"""Tests of evals/score/."""
