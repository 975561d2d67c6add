"""Contracts of the ports: what every implementation must do."""
