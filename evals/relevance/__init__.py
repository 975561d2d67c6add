"""Labelled questions: relevance fitted on them, and what comes of it measured."""
