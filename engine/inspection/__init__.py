"""Questions about a repository: evidence by line, then a verdict."""
