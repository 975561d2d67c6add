"""The administrators' pages: health, gaps, outcomes, sources, reports."""
