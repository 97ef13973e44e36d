"""Window title: saved when the client starts, restored when it ends."""

from textual.driver import Driver

from scoville_client.tui.notifications import NAME, POP_TITLE, PUSH_TITLE, title_of


def titled(driver: type[Driver]) -> type[Driver]:
    """Make a driver class that saves the title of the window at the start and restores it at the end."""

    class Titled(driver):  # type: ignore[misc, valid-type]
        def start_application_mode(self) -> None:
            super().start_application_mode()
            if getattr(self, "_writer_thread", self) is not None:  # in the background it has not started
                self.write(PUSH_TITLE + title_of(NAME))

        def stop_application_mode(self) -> None:
            self.write(title_of("") + POP_TITLE)
            super().stop_application_mode()

    return Titled
