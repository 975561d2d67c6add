"""Pages that fetch nothing: a style, elements, sections and charts."""
