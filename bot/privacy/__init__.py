"""What is stored of a person, and its end (R-S5)."""
