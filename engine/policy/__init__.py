"""A policy pack: what each of its tables may hold, and the floors it cannot pass."""
