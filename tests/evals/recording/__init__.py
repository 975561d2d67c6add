"""Tests of evals/recording/."""
