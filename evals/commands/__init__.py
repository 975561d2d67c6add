"""One module a verb of `python -m evals`; see evals/__main__.py."""
