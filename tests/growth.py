"""How the work of a function grows with its input, on a machine of any speed.

A limit in seconds says how fast and how busy a machine is. What is compared here is
the processor time of one thread for a text and for one four times as long: linear work
costs about four times as much, quadratic work sixteen times.
"""

from collections.abc import Callable
from time import thread_time

LONGER = 4
MOST = 10.0  # times as much work; linear is about 4, quadratic 16
ENOUGH_S = 0.002  # of work, so that what is measured is not the measuring
TRIES = 5


def cost(work: Callable[[int], object], size: int) -> float:
    """Processor seconds of the calling thread: the least of three runs."""
    times = []
    for more in range(3):  # another size each time: what is kept of a text is not asked
        began = thread_time()
        work(size + more)
        times.append(thread_time() - began)
    return min(times)


def linear(work: Callable[[int], object], size: int) -> bool:
    """Whether work on four times the size costs about four times as much.

    Args:
        work: makes its input from a size and reads it.
        size: of the longer input; what costs next to nothing at that size is linear.
    """
    for _ in range(TRIES):
        longer = cost(work, size)
        if longer < ENOUGH_S:
            return True
        if longer < MOST * max(cost(work, size // LONGER), ENOUGH_S / LONGER):
            return True
    return False
