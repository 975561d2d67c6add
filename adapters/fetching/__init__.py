"""Connectors that fetch documents for `sources sync`; no question ever uses them."""
