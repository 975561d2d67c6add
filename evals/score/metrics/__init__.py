"""What a row is scored by: a function a file, with the mutants that it must fail."""
