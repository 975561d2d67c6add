"""From chart datum to the datum of the land survey, and back."""

# Centimetres from chart datum up to the datum of the land survey, levelled in 2019.
OFFSETS_CM = {"north-pier": 214.5, "old-lock": 208.0}


class UnknownGauge(KeyError):
    """The gauge was never levelled, so its readings cannot be converted."""


def to_survey(gauge: str, level: float) -> float:
    """Convert a level from chart datum to the datum of the land survey.

    The offset of the gauge is subtracted. The offsets were levelled in 2019 and hold to
    within three millimetres.

    Raises:
        UnknownGauge: no offset is known for the gauge.
    """
    try:
        return level - OFFSETS_CM[gauge]
    except KeyError as error:
        raise UnknownGauge(gauge) from error


def needs_levelling(year: int) -> bool:
    """Whether the gauges have to be levelled again.

    A gauge is levelled every eight years, and after every storm that moved it.
    """
    return year - 2019 >= 8
