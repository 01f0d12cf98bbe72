"""The programs in examples/ do what they say."""

import importlib.util
import struct

import pytest

from conftest import ROOT


def size_of(png):
    data = png.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", data[16:24])


@pytest.fixture
def example(tmp_path, monkeypatch):
    """Gives the `main` of an example, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def load(name):
        spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.main

    return load


def test_hello(example, tmp_path):
    example("hello")()
    assert size_of(tmp_path / "hello.png") == (1280, 800)


def test_form(example, capsys):
    assert example("form")() == "Ada Lovelace|London|engine\n"
    assert '"Ada Lovelace"' in capsys.readouterr().out


def test_files(example, tmp_path, capsys):
    example("files")()
    assert (tmp_path / "results" / "sorted.csv").read_text().splitlines()[0] == "12,144"
    assert "there already: True" in capsys.readouterr().out


def test_plot(example, tmp_path, capsys):
    example("plot")()
    assert min(size_of(tmp_path / "plot.png")) > 100
    told = capsys.readouterr().out
    assert "ZeroDivisionError" in told
    assert told.endswith("\n100\n")


def test_eight(example, tmp_path):
    example("eight")()
    pictures = list((tmp_path / "eight").glob("*.png"))
    assert [size_of(picture) for picture in pictures] == [(640, 400)] * 8
    assert len({picture.read_bytes() for picture in pictures}) == 8
