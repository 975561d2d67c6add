"""The search: candidates, relevance, composition."""
