"""Everything that touches the outside; each implements a port or a platform."""
