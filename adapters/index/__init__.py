"""Indexes behind one port."""
