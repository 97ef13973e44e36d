"""The app of the screen: it asks the server once a second, and sends the host's acts."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Protocol

import msgspec
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key, MouseScrollDown, MouseScrollUp
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static

from scoville_client.i18n.language import environment_language, set_language, tr
from scoville_client.tui.top.drawing import (
    KEYS,
    History,
    View,
    describe_row,
    draw_view,
    key_meanings,
    list_room,
    read_status,
)
from scoville_client.tui.top.panes import NETWORKS, PANES, PEOPLE, REPORTS, TABLES, OpenPane, Pane
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.control_client import ControlClient, NotRunning, parse_duration
from scoville_runtime.host_status import HostStatus
from scoville_shared.errors import ScovilleError
from scoville_shared.text import visible_line


class Asking(Protocol):
    """Sends commands to a server, as `ControlClient` does."""

    def send_command(self, name: str, arguments: Mapping[str, Any] | None = None, reason: str = "") -> Any:
        """Carry out a command and return its result. Raises NotRunning, and ScovilleError when it is refused."""

    def close(self) -> None:
        """Close the connection."""


class Field:
    """An input of a dialog: its name in the answer, its question, and its first text."""

    def __init__(self, name: str, label: str, value: str = "") -> None:
        self.name = name
        self.label = label
        self.value = value


class ActDialog(ModalScreen[dict[str, str] | None]):
    """Asks for the fields of an act, line by line; Enter in the last one confirms, Esc cancels."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, title: str, fields: list[Field]) -> None:
        super().__init__()
        self._title = title
        self._fields = fields

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Text(self._title, "bold"))
            for field in self._fields:
                yield Static(Text(field.label))
                yield Input(field.value, id=f"field-{field.name}", compact=True)
            yield Static(Text(tr("Press Enter to continue, Esc to cancel."), "dim"), id="hint")

    def on_mount(self) -> None:
        empty = [each for each in self.query(Input) if not each.value]
        (empty or [*self.query(Input)])[0].focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on to the next empty line, or confirm."""
        inputs = [*self.query(Input)]
        empty = next((each for each in inputs if not each.value.strip()), None)
        if empty is not None:
            if empty is event.input:
                self.query_one("#hint", Static).update(Text(tr("This is needed. Esc cancels."), "bold"))
            empty.focus()
            return
        self.dismiss({field.name: each.value.strip() for field, each in zip(self._fields, inputs, strict=True)})


class FilterDialog(ModalScreen[str | None]):
    """Asks for a text that rows contain; nothing shows all of them."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", show=False)]

    def __init__(self, value: str) -> None:
        super().__init__()
        self._value = value

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Text(tr("Show only rows with this text; nothing shows all:")))
            yield Input(self._value, compact=True)

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())


class TextDialog(ModalScreen[None]):
    """Shows lines until a key is pressed."""

    def __init__(self, title: str, lines: list[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        with Vertical(id="box"):
            yield Static(Text(self._title, "bold"))
            yield Static(Text("\n".join(self._lines)))

    def on_key(self, event: Key) -> None:
        event.stop()
        self.dismiss()


class TopView(Widget, can_focus=True):
    """The whole screen, drawn from the app's view."""

    app: "TopApp"

    def render(self) -> Text:
        width, height = self.size
        if width < 1 or height < 1:
            return Text("")
        return Text("\n", no_wrap=True).join(draw_view(self.app.make_view(), width, height))


class TopApp(App[None]):
    """Watches the server of a data folder. `client` asks it, every `seconds`; `clock` is that of the waits."""

    CSS = """
    Screen { background: ansi_default; color: ansi_default; }
    TopView { width: 100%; height: 100%; }
    ModalScreen { align: center middle; background: ansi_default 0%; }
    #box { width: 90%; max-width: 76; height: auto; max-height: 100%; border: round ansi_bright_black; padding: 0 1;
           background: ansi_default; color: ansi_default; }
    Input { background: ansi_default; color: ansi_default; margin-bottom: 1; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(number), f"open_pane({number})", show=False) for number in range(1, len(PANES) + 1)),
        Binding("up", "move(-1)", show=False), Binding("down", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False), Binding("pagedown", "page(1)", show=False),
        # More rows than any list has: the mark stops at its ends.
        Binding("home", "move(-100000)", show=False), Binding("end", "move(100000)", show=False),
        Binding("left", "next_pane(-1)", show=False), Binding("right,tab", "next_pane(1)", show=False),
        Binding("enter", "show_details", show=False), Binding("slash", "ask_filter", show=False),
        Binding("s", "sort", show=False), Binding("d", "drain", show=False), Binding("a", "announce", show=False),
        Binding("k", "kick", show=False), Binding("b", "ban", show=False), Binding("c", "close_table", show=False),
        Binding("e", "resolve_report", show=False), Binding("m", "maintenance", show=False),
        Binding("r", "reload", show=False), Binding("x", "export", show=False),
        Binding("question_mark", "show_help", show=False), Binding("q,ctrl+c", "quit", show=False, priority=False),
    ]  # fmt: skip

    def __init__(self, client: Asking, seconds: float, clock: Clock = SYSTEM, *, ascii_only: bool = False) -> None:
        super().__init__(ansi_color=True)
        self._client = client
        self._seconds = seconds
        self._clock = clock
        self._ascii_only = ascii_only
        self._asking = asyncio.Lock()
        self._status: HostStatus | None = None
        self._raw_status: Any = None
        self._history = History()
        self._open = OpenPane(TABLES)
        self._trouble = self._notice = ""

    def compose(self) -> ComposeResult:
        yield TopView()

    def on_mount(self) -> None:
        self.query_one(TopView).focus()
        self.run_worker(self._keep_asking(), name="asking")

    def on_unmount(self) -> None:
        self._client.close()

    # --- what is shown ----------------------------------------------------------------------------------

    def make_view(self) -> View:
        """Return the state of the screen."""
        return View(
            status=self._status,
            history=self._history,
            pane=self._open.pane,
            rows=self._open.rows,
            total=self._open.total,
            cursor=self._open.cursor,
            top=self._open.top,
            filter_text=self._open.filter_text,
            sort=self._open.sort,
            trouble=self._trouble,
            notice=self._notice,
            ascii_only=self._ascii_only,
        )

    async def _keep_asking(self) -> None:
        while True:
            await self.ask_server()
            await self._clock.sleep(self._seconds)

    async def ask_server(self) -> None:
        """Ask for the status and the open pane, and show both; a server that does not answer is asked again later."""
        opened = self._open
        try:
            raw = await self._send_command("status")
            status = read_status(raw)
            # A node of a cluster that waits has nothing to list, and refuses.
            waits = status.reasons == ["waiting"]
            listed = None if waits else await self._send_command(opened.pane.command, **opened.arguments)
        except NotRunning:
            self._trouble = tr("The server does not answer; asking again.")
        except ScovilleError as error:
            self._trouble = tr("Refused: {message}", message=visible_line(error.message))
        except msgspec.ValidationError:
            self._trouble = tr("The server is of another version than this program.")
        else:
            self._trouble = ""
            self._raw_status, self._status = raw, status
            self._history.add_status(status)
            if listed is not None:
                opened.take_rows(listed)
        self._refresh_view()

    async def _send_command(self, command: str, reason: str = "", **arguments: Any) -> Any:
        # In a thread and one at a time: the client waits for its reply, the screen must not.
        async with self._asking:
            return await asyncio.to_thread(self._client.send_command, command, arguments, reason)

    def _refresh_view(self) -> None:
        view = self.query_one(TopView)
        self._open.scroll_to_cursor(max(1, list_room(self.make_view(), *view.size)))
        view.refresh()

    def on_resize(self) -> None:
        self._refresh_view()

    # --- moving about -----------------------------------------------------------------------------------

    async def action_open_pane(self, number: int) -> None:
        """Open a pane by its number."""
        self._open, self._notice = OpenPane(PANES[number - 1]), ""
        self._refresh_view()
        await self.ask_server()

    async def action_next_pane(self, step: int) -> None:
        """Open the pane beside this one."""
        await self.action_open_pane((PANES.index(self._open.pane) + step) % len(PANES) + 1)

    def action_move(self, step: int) -> None:
        """Mark another row."""
        self._open.move_cursor(step)
        self._refresh_view()

    def action_page(self, step: int) -> None:
        """Mark a row a page further."""
        self.action_move(step * max(1, list_room(self.make_view(), *self.query_one(TopView).size) - 1))

    def on_mouse_scroll_down(self, _: MouseScrollDown) -> None:
        self.action_move(1)

    def on_mouse_scroll_up(self, _: MouseScrollUp) -> None:
        self.action_move(-1)

    async def action_sort(self) -> None:
        """Sort by the next column that can be sorted by."""
        self._open.sort_by_next()
        await self.ask_server()

    def action_ask_filter(self) -> None:
        """Ask for a text that rows contain."""

        async def use(text: str | None) -> None:
            if text is not None:
                self._open.filter_text = text
                await self.ask_server()

        self.push_screen(FilterDialog(self._open.filter_text), use)

    def action_show_details(self) -> None:
        """Show everything that is known of the marked row."""
        row = self._open.marked_row
        if row is not None:
            self.push_screen(TextDialog(tr("Details"), describe_row(self._open.pane, row)))

    def action_show_help(self) -> None:
        """Explain the keys."""
        meanings = key_meanings()
        lines = [f"{key}  {meanings[action]}" for key, action in KEYS]
        lines += [
            tr("1 to 7, ← and → open the lists; ↑ and ↓ mark a row, Enter shows details."),
            tr("Every act asks for a reason, which the audit log keeps."),
        ]
        self.push_screen(TextDialog(tr("Keys"), lines))

    # --- acts -------------------------------------------------------------------------------------------

    def action_announce(self) -> None:
        """Send an announcement."""
        self._ask_and_send(tr("Announce to everybody"), [Field("text", tr("Text"))], "announce", reason=False)

    def action_kick(self) -> None:
        """Disconnect a user."""
        self._ask_and_send(
            tr("Disconnect a user"), [Field("name", tr("Name"), self._marked_value("name", PEOPLE))], "kick"
        )

    def action_ban(self) -> None:
        """Ban the marked user or network."""
        target = (
            self._marked_value("name", PEOPLE)
            or self._marked_value("network", NETWORKS)
            or self._marked_value("name", REPORTS)
        )
        fields = [
            Field("target", tr("Name, address, network or fingerprint of a key"), target),
            Field("for", tr("How long, such as 30m, 12h or 7d; - for good"), "1d"),
        ]
        self._ask_and_send(tr("Ban"), fields, "ban", prepare=_prepare_ban)

    def action_close_table(self) -> None:
        """Close the marked table."""
        fields = [Field("table", tr("Id of the table"), self._marked_value("id", TABLES))]
        self._ask_and_send(tr("Close a table"), fields, "close-table")

    def action_resolve_report(self) -> None:
        """Close the marked report."""
        fields = [Field("id", tr("Number of the report"), self._marked_value("id", REPORTS))]
        self._ask_and_send(tr("Resolve a report"), fields, "resolve-report", prepare=_prepare_number)

    def action_drain(self) -> None:
        """Plan the end of the server, or call it off."""
        if self._status is not None and self._status.shutdown is not None:
            self._ask_and_send(tr("Call the planned end off"), [], "drain", prepare=lambda _: {"cancel": True})
        else:
            fields = [Field("in", tr("The server shuts down in, such as 30s, 10m or 2h"), "10m")]
            self._ask_and_send(tr("Shut the server down"), fields, "drain", prepare=_prepare_drain)

    def action_maintenance(self) -> None:
        """Switch maintenance on or off."""
        is_on = self._status is not None and self._status.maintenance is not None
        title = (
            tr("End the maintenance: everybody may connect") if is_on else tr("Maintenance: no new users may connect")
        )
        self._ask_and_send(title, [], "maintenance", prepare=lambda _: {"mode": "off" if is_on else "on"})

    def action_reload(self) -> None:
        """Read the settings again."""
        self._ask_and_send(tr("Read the settings again"), [], "reload")

    def action_export(self) -> None:
        """Write the status and the rows that are shown to a file in the current folder."""
        now = datetime.fromtimestamp(self._clock.date_ms() / 1000).astimezone()
        path = Path(f"scoville-top-{now:%Y%m%d-%H%M%S}.json")
        text = json.dumps(
            {"status": self._raw_status, self._open.pane.rows: self._open.rows}, indent=1, ensure_ascii=False
        )
        try:
            path.write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            self._notice = tr("{path} cannot be written: {reason}", path=str(path), reason=error.strerror or "")
        else:
            self._notice = tr("Written to: {path}", path=str(path.absolute()))
        self._refresh_view()

    def _marked_value(self, name: str, pane: Pane) -> str:
        """Return a value of the marked row, if its pane is the open one."""
        row = self._open.marked_row
        return "" if row is None or self._open.pane is not pane else str(row[name])

    def _ask_and_send(
        self,
        title: str,
        fields: list[Field],
        command: str,
        *,
        reason: bool = True,
        prepare: Callable[[dict[str, str]], dict[str, Any]] = dict,
    ) -> None:
        """Ask for the fields of an act and its reason, carry it out, and show its result."""
        asked = [
            *fields,
            *([Field("reason", tr("Reason, for the audit log and for those concerned"))] if reason else []),
        ]

        async def act(answers: dict[str, str] | None) -> None:
            if answers is None:
                return
            why = answers.pop("reason", "")
            try:
                result = await self._send_command(command, why, **prepare(answers))
            except ValueError as error:
                self._notice = str(error)
            except ScovilleError as error:
                self._notice = tr("Refused: {message}", message=visible_line(error.message))
            else:
                faults = result.get("faults") if isinstance(result, dict) else None
                self._notice = (
                    tr("Refused: {message}", message=" ".join(faults)) if faults else tr("Done: {act}.", act=title)
                )
            await self.ask_server()

        self.push_screen(ActDialog(title, asked), act)


def _prepare_ban(answers: dict[str, str]) -> dict[str, Any]:
    lasting = answers["for"]
    return {"target": answers["target"], "for_ms": None if lasting == "-" else _parse_milliseconds(lasting)}


def _prepare_drain(answers: dict[str, str]) -> dict[str, Any]:
    return {"in_ms": _parse_milliseconds(answers["in"])}


def _prepare_number(answers: dict[str, str]) -> dict[str, Any]:
    if not answers["id"].isdecimal():
        raise ValueError(tr("That is not a number: {text}", text=answers["id"]))
    return {"id": int(answers["id"])}


def _parse_milliseconds(text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError:
        raise ValueError(tr("That is not a time: {text}", text=text)) from None


def run_top(folder: Path, seconds: float) -> None:
    """Show the server of a data folder until the user quits."""
    set_language(environment_language())
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    client = ControlClient(folder)
    with suppress(NotRunning):  # it may come: the screen says so and goes on asking
        client.send_command("status")  # a refusal is a sentence instead of a screen
    TopApp(client, seconds, ascii_only=ascii_only or bool(os.environ.get("SCOVILLE_ASCII"))).run()
