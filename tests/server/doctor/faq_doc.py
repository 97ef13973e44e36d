"""The FAQ of docs/host/doctor.md, made of the doctor's findings by `scripts/pages`."""

from pathlib import Path

from scoville_server.doctor.findings import KINDS

PAGE = Path(__file__).parents[3] / "docs" / "host" / "doctor.md"
BEGIN, END = "<!-- findings of the doctor -->\n", "<!-- end of the findings -->\n"


def faq() -> str:
    """Write a paragraph for each kind of finding."""
    return "\n" + "".join(
        f"**{kind.question}** (`{code}`{', mended by `--fix`' if kind.fixable else ''}): {kind.remedy}\n\n"
        for code, kind in KINDS.items()
    )


def write_pages() -> dict[Path, str]:
    """Write the page with the FAQ of now."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    return {PAGE: before + BEGIN + faq() + END + after}
