"""The pipeline of a question: the stages in their order, with budgets and the
record.
"""
