"""The application: what a person starts, built from the engine and its adapters."""

import os

# One question multiplies small matrices: a second BLAS thread only spins, and costs
# half as much processor again. Must be set before numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
