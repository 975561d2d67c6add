"""What chat platforms accept, checked apart from the code that writes it."""
