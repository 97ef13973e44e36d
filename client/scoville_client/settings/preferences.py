"""Preferences: every setting of a user as typed data, each with its explanation.

The annotations are the only source of the explanations: the file, the settings screen and docs/playing.md show them.
"""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from scoville_shared.text import LONGEST_NAME

Language = Annotated[str, Meta(pattern=r"^(auto|[a-z]{2,3})\Z")]
"""A code, also of a package's language: who uninstalls the package has settings that can still be read."""
Theme = Literal["auto", "dark", "light", "high-contrast", "colour-blind"]
Motion = Literal["full", "less"]
Colours = Literal["auto", "true", "256", "16", "none"]
Characters = Literal["auto", "unicode", "light", "ascii"]
Density = Literal["comfortable", "compact"]
Mouse = Literal["auto", "on", "off"]

Emoji = Literal["auto", "on", "off"]


MEMORIES: Final = ("newcomer", "rules_read", "motd_read", "joined")
"""Fields that the client fills in by itself: no user chooses them."""


class Preferences(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A user's settings. "auto" chooses by the terminal or the environment."""

    name: Annotated[
        str,
        Meta(max_length=LONGEST_NAME, description="Your name at a table; empty for one that the server makes up."),
    ] = ""
    language: Annotated[Language, Meta(description="Language of all texts; auto takes that of your system.")] = "auto"
    theme: Annotated[
        Theme,
        Meta(description="Colours of the screens; auto is dark, or light where the terminal is known to be light."),
    ] = "auto"
    motion: Annotated[Motion, Meta(description="Animations: full plays them, less shows their end at once.")] = "full"
    screen_reader: Annotated[
        bool,
        Meta(description="Start in lines of text instead of screens; ACCESSIBLE=1 in the environment does it too."),
    ] = False
    density: Annotated[
        Density,
        Meta(description="Comfortable has large cards; compact more rows for the log, and one for each table."),
    ] = "comfortable"
    guard: Annotated[
        bool, Meta(description="Ask again before a move that clearly costs a lot: a second press of its key plays it.")
    ] = False
    desktop: Annotated[
        bool, Meta(description="Show on the desktop what calls you while another window is in front.")
    ] = True
    bell: Annotated[
        bool, Meta(description="Ring the bell of the terminal when something calls you and another window is in front.")
    ] = True
    title: Annotated[bool, Meta(description="Show in the window title what calls you.")] = True
    call_turn: Annotated[bool, Meta(description="Call you when it is your turn.")] = True
    call_start: Annotated[bool, Meta(description="Call you when your game starts.")] = True
    call_invitation: Annotated[bool, Meta(description="Call you when somebody invites you to a table.")] = True
    call_whisper: Annotated[bool, Meta(description="Call you when somebody whispers to you.")] = True
    call_tournament: Annotated[
        bool, Meta(description="Call you to your tournaments, and to the dates of your clubs.")
    ] = True
    chat_lines: Annotated[bool, Meta(description="Show new chat messages above the keys.")] = True
    colours: Annotated[
        Colours, Meta(description="Colours of the terminal: true for all, 256, 16 or none; auto finds out.")
    ] = "auto"
    characters: Annotated[
        Characters,
        Meta(description="Characters of the terminal: unicode, light for the Linux console, or ascii; auto finds out."),
    ] = "auto"
    emoji: Annotated[
        Emoji, Meta(description="Emoji in chat; auto shows them where scoville doctor has measured their width.")
    ] = "auto"
    pictures: Annotated[
        bool, Meta(description="Faces of cards as pictures in the terminals kitty and Ghostty, which can show them.")
    ] = True
    mouse: Annotated[
        Mouse,
        Meta(description="Clicks on cards, rows and keys; auto is off over ssh, where the mouse then selects text."),
    ] = "auto"
    newcomer: Annotated[
        bool, Meta(description="Offer the guided rounds on the start screen; off once they were offered.")
    ] = True

    rules_read: Annotated[
        str,
        Meta(description="Games whose rules you have opened; those of others begin with their first page."),
    ] = ""
    motd_read: Annotated[
        str,
        Meta(description="Messages of the day that you have read; others are shown once when you connect."),
    ] = ""
    joined: Annotated[
        str,
        Meta(description="Servers that you have joined, the last one first, each with your name there."),
    ] = ""
    keys: Annotated[
        dict[str, str],
        Meta(description='Keys of actions, such as chat = "c" or log = "l,f6"; see scoville settings --keys.'),
    ] = {}

    @property
    def calm(self) -> bool:
        """Whether animations are left out."""
        return self.motion == "less"
