"""Executes a Containerfile in folders, and runs its image as an engine would: read-only, as its user.

Arguments as `scripts/container --help` says. Mounts are made in a namespace of this process and vanish with it.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
FILE: Final = ROOT / "packaging/container/Containerfile"
MOST_MIB: Final = 150.0
SKIPPED: Final = 77
_TRIES: Final = 60
"""How often a server that starts is asked for its health; each time takes a fraction of a second."""
_LONGEST: Final = 60.0
"""Seconds until a server must have stopped."""
_CHROOT: Final = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin") or "chroot"
_BUILD_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Step(NamedTuple):
    """An instruction of a Containerfile and its arguments."""

    verb: str
    text: str

    def read_words(self) -> list[str]:
        """Return the words of an instruction in the form of JSON, or separated by blanks."""
        found: list[str] = json.loads(self.text) if self.text.startswith("[") else shlex.split(self.text)
        return found


def read_steps(file: Path) -> list[Step]:
    """Read the instructions of a Containerfile."""
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    return [Step(*line.split(maxsplit=1)) for line in joined.splitlines() if line.strip()]


class Image:
    """A stage: its root, and how its program runs.

    Attributes:
        root: The folder that is its root.
        user: Its numeric user and group, separated by a colon.
        environment: Its environment.
        folder: Its working folder.
        volumes: Folders that are writable in a root which may only be read.
        entry: The command of its program.
        health: The command that asks whether it is healthy.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.user = "0:0"
        self.environment = dict[str, str]()
        self.folder = "/"
        self.volumes = list[str]()
        self.entry = list[str]()
        self.health = list[str]()

    def find_path(self, path: str) -> Path:
        """Return where a path of the image is here."""
        return self.root / os.path.join(self.folder, path).lstrip("/")  # noqa: PTH118 - an absolute one replaces the folder

    def run_command(self, command: Sequence[str], **more: str) -> None:
        """Run a command in the image. Raises subprocess.CalledProcessError."""
        subprocess.run(self.wrap_command(command), env={"PATH": _BUILD_PATH, **self.environment, **more}, check=True)

    def wrap_command(self, command: Sequence[str]) -> list[str]:
        """Return a command that runs one in the image, in its folder and as its user."""
        inner = f"cd {shlex.quote(self.folder)} && exec {shlex.join(command)}"
        if (self.root / "bin/sh").exists():
            return [_CHROOT, f"--userspec={self.user}", str(self.root), "/bin/sh", "-c", inner]
        # Without a shell the program begins in the root, which is no difference for absolute paths.
        return [_CHROOT, f"--userspec={self.user}", str(self.root), *command]


class Builder:
    """Executes the steps of a Containerfile below a folder.

    Args:
        work: The folder.
        base: The root in which the first stage begins; only read.
        offline: Whether packages come from the environment of this program.
    """

    def __init__(self, work: Path, base: Path, *, offline: bool) -> None:
        self._work, self._base, self._offline = work, base, offline
        self._stages = dict[str, Image]()
        self._image = Image(work)

    def build_image(self, steps: Sequence[Step]) -> Image:
        """Execute the steps; returns the last stage."""
        for step in steps:
            print(f"{step.verb} {step.text}", file=sys.stderr)
            getattr(self, f"_do_{step.verb.lower()}")(step)
        return self._image

    def _do_arg(self, step: Step) -> None:
        """The base is chosen by this program's own argument."""

    def _do_from(self, step: Step) -> None:
        base, *rest = step.read_words()
        self._image = Image(self._work / f"stage-{len(self._stages)}")
        self._stages[rest[-1] if rest else str(len(self._stages))] = self._image
        self._image.root.mkdir()
        if base != "scratch":
            self._mount_base(self._image.root)

    def _mount_base(self, root: Path) -> None:
        """Mount the base at a folder; what is written there goes to another one."""
        upper, inner = self._work / "upper", self._work / "inner"
        upper.mkdir()
        inner.mkdir()
        layers = f"lowerdir={self._base},upperdir={upper},workdir={inner}"
        mount_folder("-t", "overlay", "overlay", "-o", layers, str(root))
        mount_folder("--bind", "/dev", str(root / "dev"))
        mount_folder("-t", "proc", "proc", str(root / "proc"))
        # Of the base itself the image must see nothing: only the steps make these.
        for name in ("opt/scoville", "source", "wheel", "image"):
            shutil.rmtree(root / name, ignore_errors=True)
        for name in ("/etc/resolv.conf", "/etc/hosts"):
            if self._base != Path("/") and Path(name).exists():
                (root / name[1:]).unlink(missing_ok=True)
                shutil.copy(name, root / name[1:])

    def _do_workdir(self, step: Step) -> None:
        self._image.folder = step.text
        self._image.find_path(".").mkdir(parents=True, exist_ok=True)

    def _do_copy(self, step: Step) -> None:
        source, target = [word for word in step.read_words() if not word.startswith("--")]
        stage = re.search(r"--from=(\S+)", step.text)
        if stage is None:
            assert source == ".", "only the whole project is copied"
            copy_project(self._image.find_path(target))
            if self._offline:
                add_stand_ins(self._image)
        else:
            subprocess.run(
                ["cp", "-a", f"{self._stages[stage[1]].find_path(source)}/.", self._image.find_path(target)], check=True
            )

    def _do_run(self, step: Step) -> None:
        if self._offline and step.text.startswith("apt-get "):
            return
        # Indexes and proxies of this machine, as an engine passes them on, and the certificates that it trusts.
        passed = {name: value for name, value in os.environ.items() if name.upper().startswith(("PIP_", "HTTP"))}
        if trusted := os.environ.get("SSL_CERT_FILE"):
            shutil.copy(trusted, self._image.root / "etc/passed-certificates.pem")
            passed |= dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), "/etc/passed-certificates.pem")
        self._image.run_command(["/bin/sh", "-c", step.text], HOME="/root", **passed)

    def _do_env(self, step: Step) -> None:
        self._image.environment |= dict(word.split("=", 1) for word in step.read_words())

    def _do_user(self, step: Step) -> None:
        self._image.user = step.text

    def _do_volume(self, step: Step) -> None:
        self._image.volumes += step.read_words()

    def _do_expose(self, step: Step) -> None:
        assert all(word.isdecimal() for word in step.read_words()), step

    def _do_stopsignal(self, step: Step) -> None:
        assert step.text == "SIGTERM", step

    def _do_healthcheck(self, step: Step) -> None:
        self._image.health = json.loads(step.text.partition("CMD ")[2])

    def _do_entrypoint(self, step: Step) -> None:
        self._image.entry = step.read_words()


def copy_project(target: Path) -> None:
    """Copy what the repository holds."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    for name in names.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)


def add_stand_ins(image: Image) -> None:
    """Put programs in place of those that need an index: the packages come from the environment of this program."""
    built = image.find_path("built")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built], cwd=ROOT, check=True)
    packages = image.find_path("packages")
    packages.mkdir()
    site = Path(sys.prefix) / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    for name in re.findall(r"^([\w.-]+)==", (ROOT / "requirements/host.txt").read_text("utf-8"), re.MULTILINE):
        copy_package(site, name, packages)
    wheel = image.find_path("scripts/wheel")
    wheel.write_text('#!/bin/sh\nmkdir -p "$1"\ncp built/*.whl "$1"\n', "utf-8")
    pip = image.find_path(".venv/bin/pip")
    pip.parent.mkdir(parents=True)
    pip.write_text(
        "#!/bin/sh\nset -eu\nlibrary=$(echo /opt/scoville/lib/python3.*/site-packages)\n"
        'for last in "$@"; do :; done\ncase $last in\n*.txt) cp -a packages/. "$library" ;;\n'
        '*) python3 -m zipfile -e "$last" "$library"\n'
        "for name in scoville scoville-server; do module=$(echo $name | sed s/-/_/)\n"
        "[ $name = scoville ] && module=scoville_client\n"
        "printf '#!/opt/scoville/bin/python\\nfrom %s.cli.main import main\\nraise SystemExit(main())\\n' $module"
        " > /opt/scoville/bin/$name\nchmod +x /opt/scoville/bin/$name\ndone ;;\nesac\n",
        "utf-8",
    )
    pip.chmod(0o755)


def copy_package(site: Path, name: str, target: Path) -> None:
    """Copy an installed package with its description; one that this machine does without is left out."""
    pattern = re.sub(r"[-_.]+", "[-_.]", name)
    for record in site.glob("*.dist-info/RECORD"):
        if re.fullmatch(rf"{pattern}-[^-]+\.dist-info", record.parent.name, re.IGNORECASE):
            for line in record.read_text("utf-8").splitlines():
                path = Path(line.split(",")[0])
                if ".." not in path.parts and "__pycache__" not in path.parts and (site / path).is_file():
                    (target / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(site / path, target / path)


def try_image(image: Image, work: Path) -> None:
    """Run the image twice as its user with a root that may only be read. Raises AssertionError."""
    data = work / "data"
    data.mkdir(mode=0o700)
    user, _, group = image.user.partition(":")
    assert int(user) > 0, "the image runs as root"
    os.chown(data, int(user), int(group))
    for name in ("dev", "proc"):  # which every engine provides
        (image.root / name).mkdir(exist_ok=True)
    mount_folder("--bind", str(image.root), str(image.root))
    mount_folder("-o", "remount,ro,bind", str(image.root))
    mount_folder("--bind", "/dev", str(image.root / "dev"))
    mount_folder("-t", "proc", "proc", str(image.root / "proc"))
    for volume in image.volumes:
        mount_folder("--bind", str(data), str(image.root / volume[1:]))
    mount_folder("-t", "tmpfs", "tmpfs", str(image.root / "tmp"))
    pins = [run_server(image) for _ in range(2)]
    assert pins[0] == pins[1], "the data are lost with the container"


def run_server(image: Image) -> str:
    """Run the server until it is healthy, and stop it; returns its pin."""
    environment = {**image.environment, "SCOVILLE_HOST": "127.0.0.1", "SCOVILLE_PORT": "0"}
    with subprocess.Popen(
        image.wrap_command(image.entry), env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            for _ in range(_TRIES):
                asked = subprocess.run(
                    image.wrap_command(image.health), env=environment, capture_output=True, check=False
                )
                if asked.returncode == 0:
                    break
            else:
                raise AssertionError(f"the server does not become healthy: {said}{asked.stderr.decode()}")
            server.send_signal(signal.SIGTERM)
            assert server.wait(_LONGEST) == 0, f"the server ends with status {server.returncode}"
        finally:
            server.kill()
    found = re.search(r"pin (\S+?)\.?$", said.strip(), re.MULTILINE) or re.search(r"([A-Z2-7]{20})", said)
    assert found is not None, said
    return found[1]


def mount_folder(*arguments: str) -> None:
    """Mount something. Raises subprocess.CalledProcessError."""
    subprocess.run(["mount", *arguments], check=True)


def size_of(root: Path) -> float:
    """Return the size of all files in MiB, each counted once."""
    sizes = {(found.st_dev, found.st_ino): found.st_size for found in read_file_states(root)}
    return sum(sizes.values()) / 2**20


def read_file_states(root: Path) -> Iterator[os.stat_result]:
    """Yield what is known of each file."""
    for path in root.rglob("*"):
        yield path.lstat()


def why_impossible(*, has_base: bool) -> str:
    """Return why this machine cannot do it; empty if it can."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None:
        return "This needs Linux and root."
    if not has_base and not Path("/etc/debian_version").exists():
        return "This machine is no Debian; give it a root with --base."
    # Root in a container of others may not be allowed to mount anything.
    with tempfile.TemporaryDirectory(dir=_find_memory_folder()) as folder:
        parts = [f"{folder}/{name}" for name in ("upper", "inner", "root")]
        for part in parts:
            Path(part).mkdir()
        mounting = f"mount -t overlay overlay -o lowerdir=/,upperdir={parts[0]},workdir={parts[1]} {parts[2]}"
        tried = subprocess.run(
            ["unshare", "--mount", "sh", "-c", mounting], capture_output=True, text=True, check=False
        )
    return f"No overlay can be mounted: {tried.stderr.strip()}" if tried.returncode else ""


def _find_memory_folder() -> str | None:
    """Return a folder in memory, where there is one: an overlay takes no folder of another overlay."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def main(arguments: Sequence[str]) -> int:
    """Build the image and try it; returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/container")
    parser.add_argument("--base", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    reason = "" if asked.inside else why_impossible(has_base=asked.base is not None)
    if asked.offline and not reason and not has_same_python():
        reason = "Debian's python3 is another one than that of .venv, whose packages it cannot load."
    if reason:
        print(reason, file=sys.stderr)
        return SKIPPED
    if not asked.inside:
        command = ["unshare", "--mount", "--propagation", "private", sys.executable, __file__, "--inside", *arguments]
        return subprocess.run(command, check=False).returncode
    with tempfile.TemporaryDirectory(dir=_find_memory_folder()) as folder:
        work = Path(folder)
        base = Path("/")
        if asked.base:
            base = work / "base"
            base.mkdir()
            subprocess.run(["tar", "-xf", asked.base, "-C", base, "--exclude=./dev/*"], check=True)
        try:
            image = Builder(work, base, offline=asked.offline).build_image(read_steps(FILE))
            mib = size_of(image.root)
            if asked.keep:
                shutil.copytree(image.root, asked.keep, symlinks=True)
            try_image(image, work)
        finally:
            # Before the folder is removed, or what is mounted there would be removed, too.
            for path in sorted(mounts_below(work), reverse=True):
                subprocess.run(["umount", "-l", path], check=False)
    print(f"The image has {mib:.0f} MiB; the server runs in it.")
    return int(mib > MOST_MIB)


def mounts_below(folder: Path) -> list[str]:
    """List what is mounted below a folder."""
    lines = Path("/proc/self/mountinfo").read_text("utf-8").splitlines()
    return [line.split()[4] for line in lines if line.split()[4].startswith(str(folder))]


def has_same_python() -> bool:
    """Return whether the machine's python3 can load the packages of this one."""
    ask = ["/usr/bin/python3", "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        said = subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return False
    return [int(word) for word in said] == [*sys.version_info[:2]]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
