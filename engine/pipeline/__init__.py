"""The corridor of a question: the rooms in their order, with budgets and the record."""
