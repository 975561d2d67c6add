"""Prompt programs compiled, compared as a release is, and refused or kept (R-E8)."""
