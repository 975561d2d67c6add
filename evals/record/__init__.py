"""From cases to a record: corpora, questions at once, caches, cassettes, costs."""
