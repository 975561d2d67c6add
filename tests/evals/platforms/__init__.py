"""Tests of evals/platforms/."""
