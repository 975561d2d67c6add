"""Pages that fetch nothing: a style, elements, and what stands in them."""
