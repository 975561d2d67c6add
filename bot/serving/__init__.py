"""The processes that serve: event listeners, their inbox, workers, posters."""
