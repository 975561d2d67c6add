"""The outcome of a question: states, notices, an answer or a refusal."""
