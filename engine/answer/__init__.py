"""Answers written from evidence."""
