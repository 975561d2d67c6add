"""Cases: read from YAML, checked, and made from answered ones."""
