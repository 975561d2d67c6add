"""What the product costs in time and memory, measured; tests check correctness."""
