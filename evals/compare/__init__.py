"""From scores to a verdict: a run beside its baseline, drop by drop, row by row."""
