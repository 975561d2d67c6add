"""Characters and English, each list once; dependencies and quotations of sentences."""
