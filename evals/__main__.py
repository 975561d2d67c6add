"""`python -m evals`: evals/verbs.py, and its last line where that cannot start."""

import sys
from importlib import import_module

from evals.broken import end_broken

if __name__ == "__main__":
    sys.excepthook = end_broken
    import_module("evals.verbs").main()
