"""What a language model is asked, and how its numbers are read (DSPy)."""
