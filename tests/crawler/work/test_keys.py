"""Keys: the secret one is for its owner's eyes, is never overwritten, and signs what its public half verifies."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from crawler.work.keys import is_signed_by, make_key, public_key, read_key
from crawler.work.work_error import WorkError


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = make_key(tmp_path / "a.key")
    assert (tmp_path / "a.key").stat().st_mode & 0o777 == 0o600
    read = read_key(tmp_path / "a.key")
    assert read.public == made.public
    assert is_signed_by(made.public, b"text", read.sign(b"text"))
    assert not is_signed_by(made.public, b"test", read.sign(b"text"))
    assert not is_signed_by(made.public, b"text", "no signature")
    assert not is_signed_by("no key", b"text", read.sign(b"text"))


def test_a_mode_of_its_own_whatever_the_umask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    before = os.umask(0)
    try:
        make_key(tmp_path / "a.key")
    finally:
        os.umask(before)
    assert (tmp_path / "a.key").stat().st_mode & 0o777 == 0o600


def test_a_key_is_never_overwritten(tmp_path: Path) -> None:
    text = make_key(tmp_path / "a.key") and (tmp_path / "a.key").read_bytes()
    with pytest.raises(WorkError, match=r"a\.key: exists, and a key is never overwritten"):
        make_key(tmp_path / "a.key")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkError):
        make_key(tmp_path / "link")
    assert (tmp_path / "a.key").read_bytes() == text
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    make_key(tmp_path / "a.key")
    (tmp_path / "a.key").chmod(mode)
    with pytest.raises(WorkError, match=rf"a\.key: others may read this secret key \(mode 0{mode:o}\)"):
        read_key(tmp_path / "a.key")


def _other_key() -> bytes:
    return generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


@pytest.mark.parametrize("text", [b"", b"secret", b"-----BEGIN PRIVATE KEY-----\n", b"\xff" * 9000, _other_key()])
def test_what_is_no_key_is_refused(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "a.key"
    path.write_bytes(text)
    path.chmod(0o600)
    with pytest.raises(WorkError, match=r"a\.key: no (secret|Ed25519) key"):
        read_key(path)


def test_a_key_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="No such file"):
        read_key(tmp_path / "none.key")
    with pytest.raises(WorkError, match="Is a directory"):
        read_key(tmp_path)


def test_a_public_key_is_given_as_it_is_or_as_a_file(tmp_path: Path) -> None:
    made = make_key(tmp_path / "a.key").public
    (tmp_path / "a.pub").write_text(f"{made}\n")
    assert public_key(made) == public_key(str(tmp_path / "a.pub")) == made
    for wrong in ("", "ab" * 31, str(tmp_path), str(tmp_path / "a.key")):
        with pytest.raises(WorkError):
            public_key(wrong)
