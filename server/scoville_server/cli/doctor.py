"""The command `doctor`, and the explanation of a failed start by the same checks."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from cyclopts import Parameter

from scoville_server.cli.output import FAILED, USAGE, give_up, print_result
from scoville_server.journal.base import JournalError
from scoville_server.settings.environment import GivenValue
from scoville_server.settings.model import Settings
from scoville_server.settings.sources import collect_settings, find_file
from scoville_shared.errors import ScovilleError

if TYPE_CHECKING:
    from scoville_server.doctor.findings import Finding
    from scoville_server.doctor.patient import Patient


def _check_names(_: Any, names: Sequence[str] | None) -> None:
    from scoville_server.doctor.doctor import CHECKS

    known = [check.name for check in CHECKS]
    for name in names or ():
        if name not in known:
            raise ValueError(f"There is no check {name!r}; the checks are {', '.join(known)}.")


Flag = Annotated[bool, Parameter(negative=(), show_default=False)]


def doctor(
    *,
    fix: Flag = False,
    json_: Annotated[bool, Parameter(name="--json", negative=(), show_default=False)] = False,
    only: Annotated[list[str] | None, Parameter(validator=_check_names, negative=(), show_default=False)] = None,
    list_: Annotated[bool, Parameter(name="--list", negative=(), show_default=False)] = False,
    cert: Annotated[Path | None, Parameter(show_default=False)] = None,
    data: Annotated[Path | None, Parameter(show_default=False)] = None,
    config: Annotated[Path | None, Parameter(show_default=False)] = None,
) -> None:
    """Say what is wrong with a server, running or stopped, and what to do; the status is 1 if there is anything.

    Run it as root or as the server's user. Nothing is changed without --fix.

    Parameters
    ----------
    fix
        Mend what can be mended without losing anything, such as owners and modes.
    json_
        Print the result as JSON.
    only
        Name of a check to run in place of all; can be repeated.
    list_
        List the checks, and run none.
    cert
        Certificate of the web door, by default that of its unit.
    data
        Folder of the server, as in its own --data.
    config
        Settings file of the server, as in its own --config.
    """
    from scoville_server.doctor.doctor import CHECKS, examine_patient

    if list_:
        print_result("\n".join(f"{check.name:<12} {check.about}" for check in CHECKS))
        return
    patient = _meet_patient(data, config, cert)
    found = examine_patient(patient, only or ())
    mended, failures = _mend_findings(found) if fix else ([], {})
    # Again, since mended faults may have hidden others.
    left = examine_patient(_meet_patient(data, config, cert), only or ()) if mended else found
    if json_:
        print_result(_describe_as_json(left, mended, failures))
    else:
        lines = [f"Mended: {finding.code}: {finding.text}" for finding in mended]
        lines += [f"{finding}{failures.get(finding.text, '')}" for finding in left]
        folder = patient.settings.data
        print_result("\n".join(lines) if lines else f"Nothing is wrong with {folder or 'this server'}.")
    if left:
        raise SystemExit(FAILED)


def _meet_patient(data: Path | None, config: Path | None, certificate: Path | None) -> "Patient":
    from scoville_server.doctor.patient import meet_patient

    # Where the folder above cannot be entered, nothing is known of this one: the check of permissions says why.
    if data is not None and not os.path.lexists(data) and os.access(data.absolute().parent, os.X_OK):
        give_up(f"There is no data folder {data}; name the server's own with --data or --config.", USAGE)
    collected = collect_settings(find_file(config), () if data is None else (GivenValue("data", data, "--data"),))
    patient = meet_patient(collected.settings, [*collected.faults, *collected.notes], certificate)
    return patient._replace(file=collected.file, texts=collected.texts, data_given=data is not None)


def _mend_findings(found: "Sequence[Finding]") -> "tuple[list[Finding], dict[str, str]]":
    """Mend what can be mended; returns what was, and why others could not be, by their texts."""
    mended, failures = [], {}
    for finding in found:
        if finding.fix is None:
            continue
        try:
            finding.fix()
        except PermissionError:
            failures[finding.text] = " It could not be mended by this user; run it as root."
        except OSError as error:
            failures[finding.text] = f" It could not be mended: {error.strerror}."
        except JournalError as error:
            failures[finding.text] = f" It could not be mended: {error.message}"
        else:
            mended.append(finding)
    return mended, failures


def _describe_as_json(left: "Sequence[Finding]", mended: "Sequence[Finding]", failures: dict[str, str]) -> str:
    def describe(finding: "Finding") -> dict[str, object]:
        return {
            "code": finding.code,
            "text": finding.text,
            "remedy": finding.kind.remedy,
            "fixable": finding.fix is not None,
        }

    result = {
        "ok": not left,
        "findings": [describe(each) | {"failure": failures.get(each.text, "").strip()} for each in left],
        "mended": [describe(each) for each in mended],
    }
    return msgspec.json.format(msgspec.json.encode(result)).decode()


def describe_failed_start(settings: Settings, failure: str) -> str:
    """Return why a server did not start, with what the doctor finds about it."""
    from scoville_server.doctor.doctor import explain_failed_start

    try:
        found = explain_failed_start(settings)
    except (OSError, ScovilleError):  # the folder is in such a state that its first sentence has to do
        return failure
    lines = [str(finding) for finding in found]
    return "\n".join(lines if any(failure in line for line in lines) else [failure, *lines])
