"""Question packs run against a repository: `run-pack` (R-P1 to R-P8)."""
