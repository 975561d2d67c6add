"""A run for people and for other programs: a page, a summary, test results, a trend."""
