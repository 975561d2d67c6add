"""Questions about a repository: evidence by line, then a verdict (R-P1 to R-P8)."""
