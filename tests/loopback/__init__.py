"""Servers on loopback that speak the real platforms' protocols."""
