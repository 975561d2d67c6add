"""The proof: suites, fits and figures."""
