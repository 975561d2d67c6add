"""The checks of a draft before any word of it is shown; check.py has the order."""
