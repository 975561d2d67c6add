"""Questions that passages answer: written by people, read from headings, asked."""
