"""The builder of the site finds what is wrong with its menu and its pages. CI builds the site itself."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.support.tree import ROOT


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scoville_site", ROOT / "scripts/lib/site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_page(folder: Path, name: str, text: str = "") -> Path:
    page = folder / name
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")
    return page


def test_a_menu_must_list_every_page(site: ModuleType, tmp_path: Path) -> None:
    write_page(tmp_path, "README.md", "[forgotten](forgotten.md)")
    write_page(tmp_path, "forgotten.md")
    assert [*site.find_faults_of_menu(["README.md"], tmp_path)] == ["forgotten.md: add this page to nav in mkdocs.yml"]
    assert [*site.find_faults_of_menu([{"Home": "README.md"}, {"More": ["forgotten.md"]}], tmp_path)] == []


def test_a_menu_lists_only_pages_that_exist(site: ModuleType, tmp_path: Path) -> None:
    assert [*site.find_faults_of_menu([{"Play": "play.md"}], tmp_path)] == ["mkdocs.yml: nav: play.md does not exist"]


def test_a_list_of_decisions_is_menu_enough(site: ModuleType, tmp_path: Path) -> None:
    write_page(tmp_path, "decisions/README.md", "[first](001.md)")
    write_page(tmp_path, "decisions/001.md")
    assert [*site.find_faults_of_menu(["decisions/README.md"], tmp_path)] == []


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ('<a href="nowhere.html">', "a.html: nowhere.html does not exist"),
        ('<img src="lost.png">', "a.html: lost.png does not exist"),
        ('<a href="b.html#lost">', "a.html: b.html#lost: the page has no such heading"),
        ('<a href="#lost">', "a.html: #lost: the page has no such heading"),
        (
            '<script src="https://elsewhere.example/x.js">',
            "a.html: loads https://elsewhere.example/x.js from another host",
        ),
        (
            '<link rel="stylesheet" href="//fonts.example/x.css">',
            "a.html: loads //fonts.example/x.css from another host",
        ),
    ],
)
def test_a_link_that_leads_nowhere_is_found(site: ModuleType, tmp_path: Path, html: str, fault: str) -> None:
    write_page(tmp_path, "a.html", html)
    write_page(tmp_path, "b.html", '<h2 id="here">')
    assert [*site.find_faults_of_pages(tmp_path)] == [fault]


def test_links_that_lead_somewhere_are_right(site: ModuleType, tmp_path: Path) -> None:
    write_page(tmp_path, "a.html", '<a href="b.html#here"><a href="https://elsewhere.example"><img src="p%20q.png">')
    write_page(tmp_path, "b.html", '<h2 id="here"><a href="a.html"><a href="docs/">')
    write_page(tmp_path, "docs/index.html")
    write_page(tmp_path, "p q.png")
    assert [*site.find_faults_of_pages(tmp_path)] == []


def test_a_page_is_copied_with_the_files_that_it_links(site: ModuleType, tmp_path: Path) -> None:
    site.copy_documents(tmp_path)
    assert (tmp_path / "docs/pictures/start.svg").is_file()
    assert (tmp_path / "examples/bot.py").is_file()
    assert not (tmp_path / "pyproject.toml").exists()
