"""Stored questions and drafts through today's gates, packs and index."""
