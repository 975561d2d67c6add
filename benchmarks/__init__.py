"""Measurements of time and memory; tests check correctness."""
