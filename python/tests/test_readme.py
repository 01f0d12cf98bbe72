"""The lines of Python in the README do what they say."""

import re

from conftest import ROOT


def test_the_lines_of_the_readme(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(lines, "README.md", "exec"), {})
    assert (tmp_path / "desktop.png").read_bytes().startswith(b"\x89PNG")
    assert "Linux" in capsys.readouterr().out
