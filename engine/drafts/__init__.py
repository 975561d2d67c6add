"""From an open gate to a verdict on what may be said; what a model is asked for."""
