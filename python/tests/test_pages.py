"""The lines of Python in the README and in the documentation do what they say."""

import re
import subprocess
import sys

import pytest

import shinken
from conftest import ROOT


def programs(page):
    """The Python programs of a page, by their headings."""
    text = (ROOT / page).read_text()
    found = {}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, body = section.split("\n", 1)
        for number, program in enumerate(re.findall(r"```python\n(.*?)```", body, re.DOTALL)):
            found[f"{heading} {number}" if number else heading] = program
    return found


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a program in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda program: exec(compile(program, "a page", "exec"), {"__name__": "page"})


def test_the_lines_of_the_readme(run, tmp_path, capsys):
    (lines,) = programs("README.md").values()
    run(lines)
    assert (tmp_path / "desktop.png").read_bytes().startswith(b"\x89PNG")
    assert "Linux" in capsys.readouterr().out


def test_the_quickstart(run, tmp_path):
    found = programs("docs/quickstart.md")
    names = {}
    exec(found["A desktop"], names)
    names["env"].close()
    run(found["Look, act, look"])
    assert (tmp_path / "desktop.png").read_bytes().startswith(b"\x89PNG")
    with shinken.init(name="work"):
        exec(found["Another process, another machine"], names)
        assert names["env"].screen_size() == (1280, 800)
        names["env"].close()


def test_the_table_of_errors_is_that_of_the_classes():
    page = [sys.executable, str(ROOT / "python" / "tools" / "errors_page.py")]
    fresh = subprocess.run(page, check=True, capture_output=True, text=True).stdout
    renew = "target/python/bin/python python/tools/errors_page.py > docs/errors.md"
    assert (ROOT / "docs" / "errors.md").read_text() == fresh, f"it is not current; {renew}"


TOLD = {
    "Do what a model says, in pixels of the picture it saw": r"next the model sees <Screenshot 768x480",
    "Let a model read the window instead": r"(?s)revision:1.*revision:\d.*two words",
    "Choose in a menu": "",
    "Save a document and get the file": "",
    "Follow a program that runs long": r"(?s)stdout step 1.*step 3\nended with 0 after \d+ ms",
    "Several actions in one round trip": r"True .*first line\n+\[\('failed', 'stale_element_ref'\), \('not_sent', None\)\]",
    "When something goes wrong": r"(?s)(stale_element_ref|a11y_unavailable) - .+\ntimeout: ",
    "A recording as an animated picture": "3 pictures",
    "A log of all that is said": "",
    "Many at once, with asyncio": r"\[\(400, 640, 3\), \(400, 640, 3\)\]",
}
COOKBOOK = programs("docs/cookbook.md")


def test_every_program_of_the_cookbook_is_here():
    assert list(COOKBOOK) == list(TOLD)


@pytest.mark.parametrize("recipe", COOKBOOK)
def test_the_cookbook(recipe, run, tmp_path, capsys):
    run(COOKBOOK[recipe])
    told = capsys.readouterr().out
    assert re.search(TOLD[recipe], told), told
    made = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    match recipe:
        case "Save a document and get the file":
            assert made == {"greeting.txt": "Grüße ☕\n".encode()}
        case "Choose in a menu":
            assert made["numbered.png"].startswith(b"\x89PNG")
        case "A recording as an animated picture":
            assert made["typing.gif"].startswith(b"GIF89a")
        case "A log of all that is said":
            log = made["session.jsonl"].decode()
            assert '"verb": "move"' in log
            assert '"type": "observation"' in log
        case _:
            assert made == {}
