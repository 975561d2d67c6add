"""What a question came to: states, notices, an answer or a refusal."""
