"""Tests of evals/served/."""
