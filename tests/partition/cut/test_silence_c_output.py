"""Silencing C code: not a word of it, every word of Python's."""

import ctypes
import os

import pytest

from partition.cut import silence_c_output
from partition.cut.silence_c_output import silenced

C = ctypes.CDLL(None)


def test_c_is_silent_inside_and_heard_outside(capfd: pytest.CaptureFixture[str]) -> None:
    C.puts(b"before")
    with silenced():
        C.puts(b"inside")
        C.perror(b"inside")
        os.write(1, b"python\n")
    C.puts(b"after")
    C.fflush(None)
    told = capfd.readouterr()
    assert sorted(told.out.split()) == ["after", "before", "python"]
    assert told.err == ""


def test_an_error_inside_ends_the_silence(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyboardInterrupt), silenced():
        raise KeyboardInterrupt
    C.puts(b"heard")
    C.fflush(None)
    assert capfd.readouterr().out == "heard\n"


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    silence_c_output._streams.cache_clear()
    silence_c_output._sink.cache_clear()
    monkeypatch.setattr(silence_c_output.platform, "libc_ver", lambda: ("", ""))
    with silenced():
        C.puts(b"heard")
    C.fflush(None)
    assert capfd.readouterr().out == "heard\n"
    silence_c_output._streams.cache_clear()
    silence_c_output._sink.cache_clear()
