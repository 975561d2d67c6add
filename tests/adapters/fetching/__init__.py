"""Connectors against publishers on a loopback address."""
