"""Answers selected from evidence by rules, without a model."""
