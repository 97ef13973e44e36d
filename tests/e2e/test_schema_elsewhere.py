"""The schema in the hands of others: the validator ajv, and a client in TypeScript that is compiled and plays."""

import asyncio
import fcntl
import json
import shutil
import subprocess
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from scoville_server.server import Server
from scoville_server.settings.model import Settings
from scoville_shared.games.registry import list_slugs
from scoville_shared.protocol.messages import METHODS, NOTICES
from tests.support.tree import ROOT
from tests.support.wire_page import example_of

SOURCES = ROOT / "tests/node"
FOLDER = Path(sys.prefix) / "node"
"""Beside the packages of Python, so that nothing lies in the tree and a new environment installs them again."""

NODE, NPM = shutil.which("node") or "", shutil.which("npm") or ""
INSTALLING, RUNNING = 300, 120


def install_packages() -> Path:
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


def validate_values(checks: list[tuple[str, object]]) -> list[str]:
    """Validate values against references into the schema with ajv; returns what is wrong with each, "" for nothing."""
    lines = "".join(json.dumps({"ref": ref, "value": value}) + "\n" for ref, value in checks)
    command = [NODE, str(SOURCES / "validate.mjs"), str(install_packages()), str(ROOT / "docs/protocol/schema.json")]
    made = subprocess.run(command, input=lines, capture_output=True, check=False, text=True, timeout=RUNNING)
    assert made.returncode == 0, made.stderr
    found: list[str] = json.loads(made.stdout)
    return found


HEX = "0123456789abcdef" * 4
TABLE = {"table": "t1"}

JUDGED: dict[str, list[object]] = {
    "RevealRequest": [{**TABLE, "nonce": HEX}, {**TABLE, "nonce": HEX + "\n"}, {**TABLE, "nonce": HEX.upper()}],
    "JoinRequest": [{**TABLE, "nonce_hash": HEX}, {**TABLE, "nonce_hash": HEX[1:] + "\n"}, {**TABLE, "sate": 1}, {}],
    "SlowDownData": [{"retry_after_ms": 7}, {"retry_after_ms": "soon"}],
    "MutedData": [{"reason": None, "until_ms": None}, {"until_ms": "never"}],
    "BadParamsData": [{"method": "table.join", "field": "sate"}, {"field": 3}],
}
"""Of each type a value that fits, then some that do not."""


@pytest.fixture(scope="module")
def judgements() -> dict[str, list[str]]:
    """What ajv says of all of them; it compiles the schema for two seconds before it says anything."""
    refs = {name: f"#/errors/types/{name}" if name.endswith("Data") else f"#/types/{name}" for name in JUDGED}
    found = iter(validate_values([(refs[name], value) for name, values in JUDGED.items() for value in values]))
    return {name: [next(found) for _ in values] for name, values in JUDGED.items()}


def test_every_example_of_the_pages_fits_by_ajv() -> None:
    checks: list[tuple[str, object]] = []
    for name, method in METHODS.items():
        example = example_of(name)
        checks += [(f"#/types/{method.params.__name__}", example["params"])]
        checks += [(f"#/types/{method.reply.__name__}", example["reply"])]
    checks += [(f"#/types/{kind.__name__}", example_of(name)) for name, kind in NOTICES.items()]
    assert [fault for fault in validate_values(checks) if fault] == []


@pytest.mark.parametrize("name", JUDGED)
def test_ajv_accepts_what_fits_and_nothing_else(name: str, judgements: dict[str, list[str]]) -> None:
    fine, *faults = judgements[name]
    assert fine == ""
    assert faults
    assert all(faults)


def test_a_reply_without_a_required_field_is_refused() -> None:
    reply = example_of("TableInfo")
    checks = [("#/types/TableInfo", {name: value for name, value in reply.items() if name != left}) for left in reply]
    assert all(validate_values(checks))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled client in TypeScript, in strict mode."""
    folder, installed = tmp_path_factory.mktemp("typescript"), install_packages()
    made = subprocess.run([NODE, str(ROOT / "examples/generate_types.mjs")], capture_output=True, check=True, text=True)
    (folder / "scoville.d.ts").write_text(made.stdout, encoding="utf-8")
    shutil.copy(SOURCES / "client.ts", folder / "client.mts")
    shutil.copy(ROOT / "examples/msgpack.mjs", folder / "msgpack.mjs")
    (folder / "msgpack.d.mts").write_text(
        "export function pack(value: unknown): Uint8Array;\n"
        "export class Unpacker { feed(data: Uint8Array): Iterable<unknown>; }\n",
        encoding="utf-8",
    )
    (folder / "node_modules").symlink_to(installed / "node_modules")
    options = [
        "--strict",
        "--noUncheckedIndexedAccess",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--types",
        "node",
    ]
    command = [NODE, str(installed / "node_modules/typescript/bin/tsc"), *options, "client.mts", "scoville.d.ts"]
    compiled = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True, timeout=RUNNING)
    assert compiled.returncode == 0, compiled.stdout
    return folder / "client.mjs"


async def test_a_client_in_typescript_plays_a_whole_game(client: Path) -> None:
    server = Server(Settings(host="127.0.0.1", port=0))
    await server.start()
    process = await asyncio.create_subprocess_exec(
        NODE, str(client), "127.0.0.1", str(server.port), stdout=PIPE, stderr=PIPE
    )
    out, errors = await process.communicate()
    await server.close()
    assert (process.returncode, errors.decode()) == (0, "")
    played = json.loads(out)
    assert played["games"] == list_slugs()
    assert (played["rated"], played["seen"], played["table"]) == (False, True, "nowhere")
    assert set(played["refused"]) <= {"no_chips"}
