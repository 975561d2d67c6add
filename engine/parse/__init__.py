"""From what was typed to one `Intent`: the only reader of questions."""
