"""Tests of compiling prompt programs (R-E8)."""
