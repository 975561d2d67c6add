"""Tidelog keeps readings of tide gauges and tells when one of them is out of range."""

from tidelog.alarms import Alarm, alarms
from tidelog.readings import Reading, ReadingError
from tidelog.store import Store

__all__ = ["Alarm", "Reading", "ReadingError", "Store", "alarms"]
__version__ = "2.3.0"
