"""The nouns of questions and sources: frozen, and a wrong one cannot be built."""
