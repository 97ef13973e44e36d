"""Builder of the site: gathers the documents, lets zensical build them strictly, and checks what it does not.

Run by scripts/site, with the Python of an environment that has zensical.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
_MARKED_FENCE = re.compile(r"^(```\w+) .*$", re.MULTILINE)


def main() -> int:
    """Build the site; return 1 if anything is wrong with it, and say what."""
    import yaml  # comes with zensical

    config: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    pages, site = ROOT / config["docs_dir"], ROOT / config["site_dir"]
    for folder in (pages, site):
        shutil.rmtree(folder, ignore_errors=True)
    copy_documents(pages)
    faults = [*find_faults_of_menu(config["nav"], pages)]
    zensical = Path(sys.executable).with_name("zensical")
    # The cache of an earlier build knows files that are gone by now.
    built = subprocess.run([zensical, "build", "--strict", "--clean", "-f", ROOT / "mkdocs.yml"], check=False)
    if built.returncode == 0:
        faults += find_faults_of_pages(site)
    for fault in faults:
        print(fault, file=sys.stderr)
    if built.returncode or faults:
        return 1
    print(f"{site.relative_to(ROOT)}: {len([*site.rglob('*.html')])} pages")
    return 0


def copy_documents(target: Path) -> None:
    """Copy all pages, and the files to which they link, as they lie in the repository, so that their links hold."""
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        copy_file(page, target)
        for link in _LINK.findall(page.read_text(encoding="utf-8")):
            linked = (page.parent / unquote(link)).resolve()
            if linked.is_file() and linked.suffix != ".md":
                copy_file(linked, target)


def copy_file(path: Path, target: Path) -> None:
    """Copy a file of the repository to the same place below a folder."""
    copy = target / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".md":
        # What follows the language is for the test of these blocks, and no option that zensical knows.
        copy.write_text(_MARKED_FENCE.sub(r"\1", path.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        shutil.copyfile(path, copy)


def find_faults_of_menu(menu: Any, pages: Path) -> Iterator[str]:
    """Name menu entries without a page, and pages that neither the menu nor the README of their folder lists."""
    listed = {*list_entries(menu)}
    for entry in sorted(listed):
        if not (pages / entry).is_file():
            yield f"mkdocs.yml: nav: {entry} does not exist"
    for page in sorted(pages.rglob("*.md")):
        readme = page.with_name("README.md")
        beside = _LINK.findall(readme.read_text(encoding="utf-8")) if readme.exists() and readme.parent != pages else []
        if str(page.relative_to(pages)) not in listed and page.name not in beside:
            yield f"{page.relative_to(pages)}: add this page to nav in mkdocs.yml"


def list_entries(menu: Any) -> Iterator[str]:
    """List the pages of a menu and of its parts."""
    if isinstance(menu, str):
        yield menu
    else:
        for part in menu.values() if isinstance(menu, dict) else menu:
            yield from list_entries(part)


class PageReader(HTMLParser):
    """Collects what a page links to, what it loads and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.anchors |= {named[name] or "" for name in ("id", "name") if name in named}
        if tag == "a" and named.get("href"):
            self.links.append(named["href"] or "")
        elif tag == "link" and named.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(named.get("href") or "")
        elif tag in ("img", "script", "source", "iframe") and named.get("src"):
            self.loaded.append(named["src"] or "")


def find_faults_of_pages(site: Path) -> Iterator[str]:
    """Name links and files of the built pages that lead nowhere, and files that a page loads from another host."""
    pages = {path: PageReader(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        if path.name == "404.html":  # its addresses begin at the root of the host
            continue
        where = path.relative_to(site)
        yield from (f"{where}: loads {each} from another host" for each in page.loaded if urlsplit(each).netloc)
        for link in {*page.links, *page.loaded}:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{where}: {link} does not exist"
            elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].anchors:
                yield f"{where}: {link}: the page has no such heading"


if __name__ == "__main__":
    sys.exit(main())
