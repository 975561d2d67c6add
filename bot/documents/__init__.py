"""Documents into the ledger and its index, and the index brought back to the ledger."""
