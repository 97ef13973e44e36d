"""Two colluders gain nothing by what they do beside playing; `scripts/colluders` plays thousands of such games."""

from tests.server.players.colluders.campaign import interval, results


def test_all_levers_together_gain_nothing() -> None:
    played = [*results(3, games=80, length=40)]
    assert len({each.lever for each in played}) > 12
    assert interval([each.gain - each.without for each in played]).mean < 0
    assert interval([each.gain for each in played]).low <= 0


def test_a_vote_never_beats_finishing_the_game() -> None:
    played = [*results(7, games=30, length=30, names=["vote_out", "vote_out_and_leave"])]
    assert all(each.gain <= each.without + 1e-9 for each in played)
    assert any(each.gain < each.without for each in played)
