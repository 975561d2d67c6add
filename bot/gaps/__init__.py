"""Questions without an answer: collected, grouped, closed by documents."""
