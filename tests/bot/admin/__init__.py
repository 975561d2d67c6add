"""The administrators' pages over real HTTP and in a real browser."""
