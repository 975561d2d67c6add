"""Stored questions and drafts through today's gates, packs and index (R-D4)."""
