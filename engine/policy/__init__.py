"""A policy pack: its tables, and the floors it cannot pass."""
