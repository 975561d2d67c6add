"""Scenarios through the public door."""
