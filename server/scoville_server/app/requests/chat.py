"""Talk: said, shown, read, not listened to, silenced."""

from collections.abc import Coroutine
from typing import Any

from scoville_server.actor import TableActor
from scoville_server.app.guest import Answer, Guest, Handlers
from scoville_server.budget import Counter
from scoville_server.chat.lines import LOBBY, Place, at_table, whispers_of
from scoville_server.chat.manners import may_not_mute, may_not_read, may_not_talk
from scoville_server.sessions import Person
from scoville_server.table.audience import Watcher
from scoville_server.table.commands import Refused
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.ids import PersonId, TableId
from scoville_shared.wire import messages as m


def _say(guest: Guest, p: m.Say) -> Answer:
    _check_may_talk(guest)
    if p.table and p.to:
        raise ScovilleError(Code.BAD_PARAMS, "Say it at a table or to somebody alone, not both.")
    return _whisper(guest, p) if p.to else _say_aloud(guest, p)


def _say_aloud(guest: Guest, p: m.Say) -> Answer:
    person, seat, place = guest.person, None, LOBBY
    if p.table:
        actor = _table_to_talk_at(guest, p.table)
        seat, place = actor.table.seat_of(person.id), at_table(actor.table.id)
        guest.house.patience.acted(actor, person.id)
    counted = _count(guest, place, p.text)
    return _kept_or_not_counted(guest, counted, guest.house.chat.say(person, p.text, place, seat))


def _whisper(guest: Guest, p: m.Say) -> Answer:
    to = _person(guest, p.to)
    if to is guest.person:
        raise ScovilleError(Code.BAD_PARAMS, "That is you: a whisper needs somebody else.")
    counted = _count(guest, whispers_of(to.id), p.text)
    return _kept_or_not_counted(guest, counted, guest.house.chat.whisper(guest.person, p.text, to))


async def _kept_or_not_counted(guest: Guest, counted: list[Counter], saying: Coroutine[Any, Any, m.Said]) -> m.Said:
    """Wait for a message to be kept; one that the server could not keep does not count as sent."""
    try:
        return await saying
    except ScovilleError:
        now = guest.house.chat.now()
        for throttle, key, _ in counted:
            throttle.give_back(key, now)
        raise


def _react(guest: Guest, p: m.React) -> m.Empty:
    _check_may_talk(guest)
    actor, chat = _table_to_talk_at(guest, p.table), guest.house.chat
    chat.paces.react(guest.source, at_table(actor.table.id), chat.now())
    chat.react(guest.person, actor, p.reaction)
    return m.Empty()


def _read(guest: Guest, p: m.ReadChat) -> m.ChatHistory:
    me = guest.person.id
    return m.ChatHistory(lines=guest.house.chat.lines(me, _place(guest, p), p.since))


def _place(guest: Guest, p: m.ReadChat) -> Place:
    if p.channel == "lobby":
        return LOBBY
    if p.channel == "whisper":
        return whispers_of(guest.person.id)
    actor = guest.find(p.table)
    _raise(may_not_read(actor.table, _watcher(guest, actor)))
    return at_table(actor.table.id)


async def _ignore(guest: Guest, p: m.Ignore) -> m.Empty:
    chat, me = guest.house.chat, guest.person
    guest.house.desk.check_pace(guest.source)
    if not p.ignored:
        await chat.surely(chat.ignores.drop(me.id, _ignored(guest, p.name)))
        return m.Empty()
    whom = _person(guest, p.name)
    if whom is me:
        raise ScovilleError(Code.BAD_PARAMS, "You cannot ignore yourself.")
    for person in (me, whom):  # who is not kept would be somebody else after a restart
        await guest.house.remember(person)
    await chat.surely(chat.ignores.put(me.id, whom.id, whom.name))
    return m.Empty()


def _list_ignored(guest: Guest, _: m.ListIgnored) -> m.Ignored:
    return m.Ignored(names=[name for _, name in _ignored_by_name(guest)])


def _ignored(guest: Guest, name: str) -> PersonId:
    """Find whom I ignore under a name as the list shows it."""
    for number, shown in _ignored_by_name(guest):
        if shown.casefold() == name.casefold():
            return number
    raise _unknown(name, f"You ignore nobody called {name!r}.")


def _ignored_by_name(guest: Guest) -> list[tuple[PersonId, str]]:
    """List whom I ignore, by the names that they bear now, or bore when they were last seen."""
    find = guest.house.sessions.find
    kept = guest.house.chat.ignores.of(guest.person.id)
    return [(number, person.name if (person := find(number)) else name) for number, name in kept]


async def _mute(guest: Guest, p: m.MuteAt) -> m.Empty:
    actor, chat = guest.find(p.table), guest.house.chat
    table = actor.table
    _raise(may_not_mute(table, _watcher(guest, actor)))
    whom = _person(guest, p.name)
    guest.house.desk.check_pace(guest.source)
    await guest.house.remember(whom)
    change = chat.mutes.put if p.muted else chat.mutes.drop
    await chat.surely(change(TableId(table.id), whom.id))
    return m.Empty()


def _check_may_talk(guest: Guest) -> None:
    error = guest.house.may_talk(guest.person)
    if error is not None:
        raise error


def _table_to_talk_at(guest: Guest, table: str) -> TableActor:
    actor = guest.find(table)
    _raise(may_not_talk(actor.table, _watcher(guest, actor), guest.house.chat.mutes))
    return actor


def _watcher(guest: Guest, actor: TableActor) -> Watcher:
    """See who asks as the table sees them."""
    person = guest.person
    return actor.watcher(guest.peer) or Watcher(person.id, person.name)


def _count(guest: Guest, place: Place, text: str) -> list[Counter]:
    chat = guest.house.chat
    return chat.paces.say(guest.source, place, text, chat.now())


def _person(guest: Guest, name: str) -> Person:
    person = guest.house.sessions.by_name(name)
    if person is None:
        raise _unknown(name, f"Nobody called {name!r} is known here.")
    return person


def _unknown(name: str, sentence: str) -> ScovilleError:
    return ScovilleError(Code.UNKNOWN_PERSON, sentence, {"name": name})


def _raise(refused: Refused | None) -> None:
    if refused is not None:
        raise refused.error()


HANDLERS: Handlers = {
    m.Say: _say,
    m.React: _react,
    m.ReadChat: _read,
    m.Ignore: _ignore,
    m.ListIgnored: _list_ignored,
    m.MuteAt: _mute,
}
