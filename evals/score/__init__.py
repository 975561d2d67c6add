"""From a record to its scores: metrics, and the mutants that each of them must see."""
