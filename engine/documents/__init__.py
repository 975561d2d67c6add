"""From a loader's output to a stored version: sentences, chunks, anchors,
dependencies.
"""
