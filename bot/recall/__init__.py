"""Posted answers whose sources were withdrawn or replaced."""
