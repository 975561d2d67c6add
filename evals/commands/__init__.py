"""One module a verb of `python -m evals`; see evals/verbs.py."""
