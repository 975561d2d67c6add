"""The prompts of language models, and how their numbers are read (DSPy)."""
