"""Files of an export are there whole or not at all."""

from pathlib import Path

import pytest

from partition.export.output_files import Place, PlaceError

NAMES = ("one", "two")


def fill(place: Place, content: str, *, replace: bool = False) -> None:
    with place.filled(replace=replace) as paths:
        for path in paths:
            path.write_text(content)
            assert not (place.folder / path.name).exists() or replace


@pytest.mark.parametrize("is_made", [True, False])
@pytest.mark.parametrize("is_there", [True, False])
def test_files_get_their_names_at_the_end(is_made: bool, is_there: bool, tmp_path: Path) -> None:
    place = Place(tmp_path / "folder", NAMES, is_made)
    if is_there:
        place.folder.mkdir()
    elif not is_made:
        with pytest.raises(PlaceError, match="folder: no such folder"):
            fill(place, "new")
        return
    fill(place, "new")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["folder", "one", "two"]
    assert (place.folder / "two").read_text() == "new"


@pytest.mark.parametrize("is_made", [True, False])
def test_what_exists_is_replaced_only_if_asked_for(is_made: bool, tmp_path: Path) -> None:
    place = Place(tmp_path, NAMES, is_made)
    (tmp_path / "two").write_text("old")
    (tmp_path / "other").write_text("old")
    with pytest.raises(PlaceError, match="two: exists"):
        fill(place, "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "two"]
    fill(place, "new", replace=True)
    contents = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert contents == {"one": "new", "two": "new", "other": "old"}


def test_a_folder_that_is_made_may_have_nothing_in_it(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("old")
    with pytest.raises(PlaceError, match=r"exists and is not empty; --force puts one and two there"):
        Place(tmp_path, NAMES, True).check(replace=False)
    Place(tmp_path, NAMES, False).check(replace=False)


@pytest.mark.parametrize("is_made", [True, False])
def test_nothing_is_left_by_one_that_failed(is_made: bool, tmp_path: Path) -> None:
    folder = tmp_path / "folder" if is_made else tmp_path

    def fail_halfway() -> None:
        with Place(folder, NAMES, is_made).filled(replace=False) as (first, _):
            first.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_halfway()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("is_made", "error"), [(True, OSError), (False, PlaceError)])
def test_a_file_that_came_meanwhile_is_not_replaced(is_made: bool, error: type[Exception], tmp_path: Path) -> None:
    folder = tmp_path / "folder" if is_made else tmp_path

    def meet_another() -> None:
        with Place(folder, NAMES, is_made).filled(replace=False) as paths:
            for path in paths:
                path.write_text("new")
            folder.mkdir(exist_ok=True)
            (folder / "one").write_text("another's")

    with pytest.raises(error):
        meet_another()
    assert {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()} == {"one": "another's"}


def test_files_and_folders_are_not_mistaken_for_each_other(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "one").mkdir()
    for place in (Place(tmp_path / "file", NAMES, True), Place(tmp_path / "file", NAMES, False)):
        with pytest.raises(PlaceError, match="file: is a file, not a folder"):
            place.check(replace=True)
    with pytest.raises(PlaceError, match="one: is a folder, not a file"):
        Place(tmp_path, NAMES, False).check(replace=True)
    with pytest.raises(PlaceError, match="none: no such folder"):
        Place(tmp_path / "none" / "folder", NAMES, True).check(replace=True)
