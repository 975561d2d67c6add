"""The requirement ids that a case or a test may show: R, a letter, a number."""

_LAST = {
    "I": 12,  # invariants
    "R": 11,  # retrieval
    "G": 12,  # gate
    "A": 16,  # answering
    "V": 10,  # validation
    "M": 8,  # medicine
    "F": 9,  # freshness and failure states
    "P": 8,  # code reviews
    "D": 8,  # audit
    "U": 16,  # first use, packs, what people expect
    "O": 4,  # operation
    "C": 6,  # platforms
    "E": 10,  # evaluation
    "S": 8,  # security
    "Q": 6,  # questions that passages answer
}

KNOWN = frozenset(
    f"R-{letter}{number}"
    for letter, last in _LAST.items()
    for number in range(1, last + 1)
)
