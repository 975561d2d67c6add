"""What stays on record of a question, and the events that tell of it."""
