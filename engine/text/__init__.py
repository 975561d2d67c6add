"""Characters and English, each list once; what a sentence needs and is shown as."""
