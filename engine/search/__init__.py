"""Candidates of a question, of a selected text or of a chosen section, as evidence."""
