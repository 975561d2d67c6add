"""The proof that evaluations see what they are for: the system broken on purpose."""
