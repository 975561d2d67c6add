"""The truth: outcomes, versions, audit chain."""
