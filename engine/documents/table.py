"""How a row of a table is written in a canonical text (INTERFACES, Tables)."""

CELLS = " | "  # between the cells of a row; stands inside none
EMPTY = "\u2013"  # an empty cell
