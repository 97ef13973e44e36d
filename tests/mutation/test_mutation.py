"""A sample of the mutants of `scripts/mutants`, and the list of equivalent ones.

Every worker collects all tests, and libcst takes half a second to import: each test imports what needs it.
"""

import subprocess
import sys

import pytest

from tests.support.tree import ROOT

SAMPLE = 2


def test_a_sample_of_faults_in_the_rules_is_found_out():
    from tests.mutation.mutants import targets

    command = [sys.executable, "-m", "tests.mutation", "--sample", str(SAMPLE)]
    tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    for target in targets():
        assert f"{target}: {SAMPLE} of {SAMPLE} mutants killed, 100.0%" in tried.stdout


def test_faults_are_made_in_every_module_with_rules():
    from tests.mutation.mutants import modules, mutants_of, targets

    for target in targets():
        paths = {path.name: path for path in modules(target)}
        wanted = {"registry.py"} & {*paths} or {"game.py", "state.py", "text.py"}
        assert [name for name in wanted if not any(mutants_of(paths[name]))] == []


def test_a_mutant_is_its_module_with_one_change():
    from tests.mutation.mutants import mutants

    mutant = next(found for found in mutants("no_thanks") if found.path.name == "runs.py")
    change = mutant.change
    assert change.file == "no_thanks/runs.py"
    before = [line.strip() for line in mutant.tree.code.splitlines()]
    after = [line.strip() for line in mutant.source.splitlines()]
    assert set(before) - set(after) == set(change.before)
    assert set(after) - set(before) == set(change.after)


def test_listed_survivors_still_exist():
    from tests.mutation.mutants import GAMES
    from tests.mutation.survivors import listed

    assert listed()
    for change in listed():
        lines = {line.strip() for line in (GAMES / change.file).read_text(encoding="utf-8").splitlines()}
        assert set(change.before) <= lines, f"no longer in the rules, so strike it out:\n{change}"


def test_an_unknown_game_is_answered_with_the_ones_there_are(capsys):
    from tests.mutation.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(["chess"])
    assert ended.value.code == 2
    sentence = "there are no mutants of chess; there are chilli_chase, dicht_dran, no_thanks, registry"
    assert sentence in capsys.readouterr().err
