"""The processes that serve: doorbells, the inbox they are handed, workers, posters."""
