"""Commands of the daily deal: play it, compare, look at games of others, share, and check it."""

from collections.abc import Sequence

from scoville_client.i18n import daily_text
from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.event_text import standing_phrases
from scoville_client.i18n.language import render, render_count, tr
from scoville_client.session.commands.command import (
    NUMBER,
    ONLINE,
    Argument,
    Caller,
    Command,
    pick_numbered,
    split_number,
    split_word,
)
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    CompareDailyReply,
    CompareDailyRequest,
    DailyDeal,
    DailyResult,
    ExportDailyRequest,
    PlayDailyRequest,
    ProveDailyRequest,
    ReplayDailyRequest,
    ShowDailyRequest,
)

_DAY = Argument("[NUMBER]", split_number, default=1)
_MORE_RESULTS = Phrase("{n} more result.", many="{n} more results.")
_ASCII = Argument("[ascii]", split_word)


async def _show_daily(to: Caller) -> Sequence[str]:
    session = to.session
    shown = await session.daily.show_deals()
    lines = [
        f"{number}. {daily_text.describe_deal(deal, session.games)}: {daily_text.state_text(deal)}"
        for number, deal in enumerate(shown.deals, 1)
    ]
    return [*lines, daily_text.describe_streak(shown), tr("Type {command} to play.", command=f"{to.mark}daily play")]


async def _find_deal(to: Caller, number: int) -> DailyDeal:
    """Find a deal by its number in the list; the first one is today's. Raises Misuse."""
    shown = await to.session.daily.show_deals()
    missing = tr("There is no daily deal number {n}; type {command}.", n=number, command=f"{to.mark}daily")
    return pick_numbered(shown.deals, number, missing)


async def _play_daily(to: Caller, number: int) -> Sequence[str]:
    deal = await _find_deal(to, number)
    await to.session.daily.play_deal(deal.day)
    return ()


async def _compare_daily(to: Caller, number: int) -> Sequence[str]:
    session = to.session
    reply = await session.daily.compare_results((await _find_deal(to, number)).day)
    lines = [
        ", ".join(
            filter(
                None,
                (
                    f"{place}. {daily_text.result_name(result)}: {daily_text.rank_text(result)}",
                    daily_text.parting_text(result),
                ),
            )
        )
        for place, result in enumerate(reply.results, 1)
    ]
    more = [render_count(_MORE_RESULTS, reply.more)] if reply.more else []
    return [*daily_text.summary_lines(reply, session.games), *lines, *more]


async def _find_result(to: Caller, number: int, deal_number: int) -> tuple[CompareDailyReply, DailyResult]:
    """Find a result by its number in the list of results. Raises Misuse."""
    reply = await to.session.daily.compare_results((await _find_deal(to, deal_number)).day)
    missing = tr("There is no result number {n}; type {command}.", n=number, command=f"{to.mark}daily results")
    return reply, pick_numbered(reply.results, number, missing)


async def _tell_game(to: Caller, number: int, deal_number: int) -> Sequence[str]:
    """Describe another player's game from the first move that differs from the user's."""
    reply, result = await _find_result(to, number, deal_number)
    at, since = await to.session.daily.replay_result(reply.daily_deal.day, result)
    lines = [render(entry.phrase, at.names) for entry in at.log if entry.seq > since]
    ending = [] if at.result is None else [render(phrase, at.names) for phrase in standing_phrases(at.result)]
    parted = daily_text.parting_text(result)
    return [
        f"{daily_text.result_name(result)}: {parted}" if parted else daily_text.result_name(result),
        *lines,
        *ending,
    ]


async def _share_daily(to: Caller, style: str) -> Sequence[str]:
    session = to.session
    deal = next((each for each in (await session.daily.show_deals()).deals if each.your_result is not None), None)
    if deal is None:
        return [tr("You have not finished a daily deal yet.")]
    reply = await session.daily.compare_results(deal.day)
    text = daily_text.share_text(reply, session.daily.shown, session.games, ascii_only=style.casefold() == "ascii")
    return text.split("\n")


async def _prove_daily(to: Caller, number: int) -> Sequence[str]:
    proof = await to.session.daily.prove_deals((await _find_deal(to, number)).day)
    lines = [
        tr(
            "The deals of {day} were drawn and committed to at {time}.",
            day=proof.date,
            time=day_and_time(proof.drawn_ms),
        )
    ]
    for each in proof.proofs:
        lines += [f"{each.deal}: {each.game}", tr("Commitment: {commitment}", commitment=each.commitment)]
        seed = each.server_seed
        lines.append(tr("Seed: {seed}", seed=seed) if seed else tr("The seed is revealed when its time is over."))
    return lines


async def _export_daily(to: Caller, number: int, deal_number: int) -> Sequence[str]:
    reply, result = await _find_result(to, number, deal_number)
    return await to.session.daily.export_result(reply.daily_deal.day, result.id)


COMMANDS = (
    Command(
        ("daily",),
        (),
        Phrase("Show the daily deal, the latest ones and your streak."),
        _show_daily,
        ONLINE,
        sends=(ShowDailyRequest,),
        more=(
            Phrase("Everybody gets the same cards against the same bots, once, for 36 hours."),
            Phrase("The commands that begin with daily take the number of a deal in this list; 1 is today's."),
        ),
    ),
    Command(
        ("daily play",),
        (_DAY,),
        Phrase("Begin or continue the daily deal."),
        _play_daily,
        ("lobby",),
        sends=(PlayDailyRequest,),
    ),
    Command(
        ("daily results",),
        (_DAY,),
        Phrase("Compare your game with those of others."),
        _compare_daily,
        ONLINE,
        sends=(CompareDailyRequest,),
    ),
    Command(
        ("daily game",),
        (NUMBER, _DAY),
        Phrase("Show the game of a result from the move at which it differs from yours."),
        _tell_game,
        ONLINE,
        sends=(ReplayDailyRequest,),
    ),
    Command(
        ("daily share",),
        (_ASCII,),
        Phrase("Write three lines about your result that give nothing away."),
        _share_daily,
        ONLINE,
        sends=(CompareDailyRequest,),
    ),
    Command(
        ("daily proof",),
        (_DAY,),
        Phrase("Show what the deal follows from: the commitment, and later the seed."),
        _prove_daily,
        ONLINE,
        sends=(ProveDailyRequest,),
    ),
    Command(
        ("daily export",),
        (NUMBER, _DAY),
        Phrase("Write out the file of a result's game, for scoville verify."),
        _export_daily,
        ONLINE,
        sends=(ExportDailyRequest,),
    ),
)
