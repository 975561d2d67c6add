"""Masking of personal identifiers in questions and drafts before they are logged.

Recall counts, precision does not: a masked figure in a log line costs less than a
telephone number in it. Names of people are not recognised; previews are short.
"""

from engine.text.patterns import compile_pattern, fold

PREVIEW = 200  # characters of a query or response in an event
LONGEST_MASKED = 100_000  # characters looked at; what lies beyond is dropped

_DATE = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}|\d{4}/\d{1,2}/\d{1,2}|\d{1,2}-\d{1,2}-\d{2,4}|"
    r"\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{2,4}|\d{1,2} \d{1,2} (?:19|20)\d\d|"
    r"\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]{3,9}\.?,? \d{4}|"
    r"\d{1,2}[-./]\pL{3,9}\.?[-./]\d{2,4}|\d{4}[-./]\pL{3,9}\.?[-./]\d{1,2}|"
    r"\d{1,2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\d{2,4}|"
    r"[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
)
# Slack's: a letter for the kind, 7 to 12 capitals and figures, one figure at least.
_TAILS = "|".join(
    rf"[A-Z]{{{n}}}\d[A-Z\d]{{{max(0, 6 - n)},{11 - n}}}" for n in range(12)
)
_SLACK = rf"(?-i:\b[UWTCDGBE](?:{_TAILS})\b)"
_DISCORD = r"\b\d{17,20}\b"
_IBAN = (
    r"\b[a-z]{2}\d{2} ?[a-z\d]{4} ?(?:\d[a-z\d]{3}|[a-z]\d[a-z\d]{2}|"
    r"[a-z]{2}\d[a-z\d])(?: ?[a-z\d]{0,3}\d[a-z\d]{0,3}){1,6}\b"
)
# Words that a number follows at once, and words that may just be counted.
_NUMBERED = (
    r"(?:mrn|nhs|ssn|uci|social security|social insurance|medicare|medicaid|passport|"
    r"health card|member(?:ship)?|subscriber|policy|insurance|insured|a-?number)"
)
_COUNTED = r"(?:records?|chart|patient|group|claim|account|case|file)"
_CALLED = r"(?: (?:number|no|id|card|identifier|nr)\b\.?)"
_TOKEN = r"[a-z]{0,4}[-/ ]?\d(?:[\pL\d]{2,}|[\pL\d]*[-/]\d)[\pL\d/-]*(?: \d+)*"
# In this order: a longer form comes before the shorter one that it contains.
_PATTERNS = (
    ("[e-mail]", r"[\pL\pN._%+'-]+@[\pL\pN-]+(?:\.[\pL\pN-]+)+"),
    ("[secret]", r"\b(?:xox[a-z]|xapp|xwfp|sk|pk|rk)[-_][\w-]{8,}"),
    ("[mention]", r"<[@#!][^<>\s]+>"),
    ("[mention]", r"\B@[\pL\pN][\pL\pN._-]*"),
    (
        "[date of birth]",
        r"\b(?:born|birth ?da(?:te|y)|date of birth|d\.?o\.?b\b\.?)[^\d\n]{0,20}?"
        + _DATE
        + r"|\bborn (?:in |on )?(?:[a-z]{3,9} )?(?:19|20)\d\d\b",
    ),
    (
        "[record number]",
        rf"\b{_NUMBERED}{_CALLED}?(?: is)?[ :#]{{0,3}}{_TOKEN}",
    ),
    (
        "[record number]",
        rf"\b{_COUNTED}(?:{_CALLED}(?: is)?[ :#]{{0,3}}| ?[:#] ?){_TOKEN}",
    ),
    ("[record number]", r"\b\d[a-z][a-z\d]\d[- ]?[a-z][a-z\d]\d[- ]?[a-z]{2}\d{2}\b"),
    ("[record number]", r"\b[a-z]{1,2} ?\d{2} ?\d{2} ?\d{2} ?[a-z]\b"),
    ("[platform id]", rf"{_SLACK}|{_DISCORD}"),
    ("[account]", _IBAN),
    ("[date]", r"\b" + _DATE + r"\b"),
    ("[record number]", r"\b[a-z]{1,2}[- ]?\d{6,12}\b"),
    ("[record number]", r"\b\d{3}[- ]\d{2}[- ]\d{4}\b"),
    ("[telephone]", r"(?:\+|\b)\(?\d(?:[ ()./-]{0,3}\d){6,}"),
)


def mask(text: str) -> str:
    """Replace identifiers by their kind in brackets, and join the text to one line.

    E-mail addresses, telephone, record, insurance and account numbers, mentions and ids
    of platforms, secrets, dates of birth and every other full date. Invisible
    characters go first, so that none can hide in an identifier. Never raises; time is
    linear.
    """
    masked = fold(text[:LONGEST_MASKED])
    for name, pattern in _PATTERNS:
        masked = str(compile_pattern(pattern).sub(name, masked))
    return masked


def preview(text: str, length: int = PREVIEW) -> str:
    """Mask a text, then cut it to `length` characters."""
    return mask(text)[:length]
