"""Keymap: the keys that the settings file gives to actions, checked against all others of the same contexts."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import groupby
from typing import Final

from textual.keys import Keys, format_key

from scoville_client.i18n.language import tr
from scoville_client.settings.checks import BadSettings
from scoville_client.tui.actions import ACTIONS, Action, is_fixed, list_actions
from scoville_client.tui.boards import find_board
from scoville_client.tui.drawing.key_names import key_list
from scoville_shared.games.registry import list_slugs

_MODIFIERS: Final = ("ctrl", "shift", "alt")
_NAMED: Final = frozenset(key.value for key in Keys if not key.value.startswith("<"))


def check_keymap(keys: Mapping[str, str]) -> None:
    """Check the keys of the settings. Raises BadSettings for unknown actions, unknown keys and conflicts."""
    games = {slug: find_board(slug).ACTIONS for slug in list_slugs()} if keys else {}
    known = {action.id: action for own in ((), *games.values()) for action in (*ACTIONS, *own) if action.keys}
    for name, wanted in keys.items():
        if name not in known or is_fixed(known[name]):
            raise BadSettings(_unknown_action(name, [each for each, action in known.items() if not is_fixed(action)]))
        for key in key_list(wanted):
            _check_key(name, key)
    for context in sorted({context for action in ACTIONS for context in action.contexts}):
        for own in games.values() if context == "play" else [()]:
            _check_conflicts(context, own, keys)


def list_names() -> Iterator[tuple[str, str, str]]:
    """Yield each action whose keys can be changed, as name, keys and explanation."""
    every = [*ACTIONS, *(action for slug in list_slugs() for action in find_board(slug).ACTIONS)]
    usable = sorted((action for action in every if action.keys and not is_fixed(action)), key=lambda each: each.id)
    for name, same in groupby(usable, key=lambda each: each.id):
        first = next(same)
        yield name, first.keys, first.explain()


def _check_key(name: str, key: str) -> None:
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if len(key) == 1 and key.isdigit():
        raise BadSettings(tr("keys.{name}: digits are for typing numbers; choose another key.", name=name))
    is_known = last in _NAMED or key in _NAMED or len(format_key(last)) == 1
    if not is_known or any(modifier not in _MODIFIERS for modifier in modifiers):
        raise BadSettings(
            tr(
                "keys.{name}: there is no key {key}. Write a letter, f1 to f12, ctrl+p, space or the like.",
                name=name,
                key=repr(key),
            )
        )


def _check_conflicts(context: str, own: Iterable[Action], keys: Mapping[str, str]) -> None:
    taken: dict[str, str] = {
        key: "everywhere" for action in list_actions("everywhere") for key in key_list(action.keys)
    }
    for action in list_actions(context, own, keys):
        for key in key_list(action.keys):
            other = taken.setdefault(key, action.id)
            if other != action.id and {other, action.id} & {*keys, "everywhere"} and context != "everywhere":
                raise BadSettings(
                    tr(
                        "keys: {one} and {other} would both have the key {key}; give one of them another.",
                        one=other,
                        other=action.id,
                        key=key,
                    )
                )


def _unknown_action(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    meant = tr("Did you mean {name}?", name=near[0]) if near else tr("scoville settings --keys lists all.")
    return f"{tr('keys: there is no action {name} whose keys can be changed.', name=repr(name))} {meant}"
