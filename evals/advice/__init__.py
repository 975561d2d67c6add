"""Judges and ragas: they advise until labels prove them."""
