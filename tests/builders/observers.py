"""Observers for tests of the controller: they print nothing."""


class Silent:
    """An observer without output."""

    def say(self, text: str) -> None:
        """Ignored."""

    def detail(self, text: str) -> None:
        """Ignored."""

    def expect(self, remaining_s: float) -> None:
        """Ignored."""

    def progress(self, title: str, share: float, rate: str) -> None:
        """Ignored."""
