"""Question packs run against a repository: `run-pack`."""
