"""`python -m evals`: evals/verbs.py, and the last line where even that cannot start."""

import sys
from importlib import import_module

from evals.broken import broken

if __name__ == "__main__":
    sys.excepthook = broken
    import_module("evals.verbs").main()
