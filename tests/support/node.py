"""Programs from npm that check what we publish for other languages, in the versions that are committed."""

import fcntl
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.tree import ROOT

SOURCES = ROOT / "tests/node"
FOLDER = Path(sys.prefix) / "node"
"""Beside the packages of Python, so that nothing lies in the tree and a new environment installs them again."""

NODE, NPM = shutil.which("node") or "", shutil.which("npm") or ""
INSTALLING, RUNNING = 300, 120


def packages() -> Path:
    """Return the folder with the committed packages, installed by the first caller. Skips the test without them."""
    if not NODE or not NPM:
        pytest.skip("Node and npm are not installed here, so the schema was not checked with ajv and TypeScript.")
    wanted = (SOURCES / "package-lock.json").read_text(encoding="utf-8")
    stamp = FOLDER / "installed.json"
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
            for name in ("package.json", "package-lock.json"):
                shutil.copy(SOURCES / name, FOLDER / name)
            command = [NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
            made = subprocess.run(command, cwd=FOLDER, capture_output=True, check=False, text=True, timeout=INSTALLING)
            if made.returncode:
                pytest.skip(f"npm could not install the packages of tests/node: {made.stderr[-300:]}")
            stamp.write_text(wanted, encoding="utf-8")
    return FOLDER


def validated(checks: list[tuple[str, object]]) -> list[str]:
    """Validate values against references into the schema with ajv; returns what is wrong with each, "" for nothing."""
    lines = "".join(json.dumps({"ref": ref, "value": value}) + "\n" for ref, value in checks)
    command = [NODE, str(SOURCES / "validate.mjs"), str(packages()), str(ROOT / "docs/protocol/schema.json")]
    made = subprocess.run(command, input=lines, capture_output=True, check=False, text=True, timeout=RUNNING)
    assert made.returncode == 0, made.stderr
    found: list[str] = json.loads(made.stdout)
    return found
