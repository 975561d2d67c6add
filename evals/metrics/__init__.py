"""What a row is scored by: one metric a file, each with mutants that it must kill."""
