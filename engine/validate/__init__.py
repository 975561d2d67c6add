"""What a draft must survive."""
