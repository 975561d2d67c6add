"""What a draft must survive before a word of it is shown; check.py has the order."""
