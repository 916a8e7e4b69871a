"""A limit on the rate of actions in several threads."""

import threading
import time


class Pacer:
    """Lets `burst` actions pass at once, and then `per_s` actions per second."""

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._lock = threading.Lock()
        self._next_s = 0.0
        """when the next action would pass if there were no burst, by the monotonic clock"""

    def wait(self) -> None:
        """Return when one more action may begin."""
        time.sleep(self.delay_s(time.monotonic()))

    def delay_s(self, now_s: float) -> float:
        """Reserve one action at `now_s`; returns the time in s for which it must wait."""
        with self._lock:
            earliest_s = now_s - (self._burst - 1) / self._per_s
            begins_s = max(self._next_s, earliest_s)
            self._next_s = begins_s + 1 / self._per_s
        return max(0.0, begins_s - now_s)
