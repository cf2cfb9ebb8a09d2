"""Folders are compared by the rules of the platform, however they are written."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from compact_chat.disk.workspace import comparable, workspace_of
from compact_chat.errors import InvalidParams


@pytest.mark.parametrize(
    ("platform", "one", "other", "same"),
    [
        ("linux", "/demo/shop", "file:///demo/shop/", True),
        ("linux", "/demo/shop", "/demo//x/../shop", True),
        ("linux", "/demo/shop", "/demo/Shop", False),
        ("linux", "/demo/caf\u00e9", "file:///demo/cafe%CC%81", True),
        ("linux", "/demo/a b", "vscode-remote://ssh-remote%2Bbox/demo/a%20b", True),
        ("linux", "/demo/a?b", "/demo/a", False),
        ("darwin", "/Demo/Shop", "file:///demo/shop", True),
        ("win32", r"C:\demo\shop", "file:///c%3A/Demo/shop", True),
        ("win32", r"c:\demo\shop", "c:/demo/shop/", True),
        ("win32", r"C:\demo\shop", r"D:\demo\shop", False),
        ("linux", r"C:\demo\shop", "file:///C:/demo/shop", True),
    ],
)
def test_paths_are_compared_as_the_platform_does(platform: str, one: str, other: str, same: bool) -> None:
    """URIs, slashes, case and composed letters matter only where the platform lets them."""
    assert (comparable(one, platform) == comparable(other, platform)) is same


@pytest.mark.parametrize(
    ("place", "held"),
    [
        ("/demo/shop", True),
        ("/demo/shop/till/deep", True),
        ("file:///demo/shop/till", True),
        ("vscode-remote://wsl%2Bubuntu/demo/shop", True),
        ("/demo/shop-2", False),
        ("/demo", False),
        ("relative", False),
        ("", False),
    ],
)
def test_a_folder_holds_what_is_below_it(place: str, held: bool) -> None:
    """A chat counts where it was held in the folder or in one below it."""
    for uri in ("file:///demo/shop", "file:///demo/shop/", "vscode-remote://ssh-remote+box/demo/shop"):
        assert workspace_of(uri, "linux").holds(place) is held


def test_the_root_holds_everything() -> None:
    """The folder of all folders is one too."""
    assert workspace_of("file:///", "linux").holds("/demo")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets few users make links")
def test_links_are_followed_both_ways(tmp_path: Path) -> None:
    """A link to a folder and the folder itself are the same, whichever is asked for."""
    real, link = tmp_path / "real" / "shop", tmp_path / "link"
    real.mkdir(parents=True)
    link.symlink_to(tmp_path / "real")

    assert workspace_of((link / "shop").as_uri(), sys.platform).holds(str(real / "till"))
    assert workspace_of(real.as_uri(), sys.platform).holds(str(link / "shop" / "till"))
    assert not workspace_of(real.as_uri(), sys.platform).holds(str(link / "other"))


@pytest.mark.parametrize("uri", ["file:///a%00b", "file:///\ud800", "vscode-remote://h/a%00b"])
def test_odd_names_hold_nothing(uri: str) -> None:
    """A name that no system takes is the name of no folder, and no fault."""
    assert not workspace_of(uri, "linux").holds("/demo")


@pytest.mark.parametrize("uri", ["/demo/shop", "https://example.com/x", "file://server/share", "untitled:a", ""])
def test_other_places_are_refused(uri: str) -> None:
    """What is neither a folder of this machine nor of a remote editor is told by its path in the request."""
    with pytest.raises(InvalidParams) as caught:
        workspace_of(uri, "linux")

    assert caught.value.data["problems"][0]["path"] == "$.workspace"


@pytest.mark.parametrize("uri", ["file:///demo/%FFshop", "vscode-remote://box/demo/%FFshop"])
def test_a_folder_may_have_any_bytes_in_its_name(uri: str) -> None:
    """A name that is no UTF-8 is the same wherever it stands."""
    shop = workspace_of(uri, "linux")

    for place in ("file:///demo/%FFshop", "vscode-remote://box/demo/%ffshop/till", "/demo/\udcffshop"):
        assert shop.holds(place)
    assert not shop.holds("file:///demo/%FEshop")


@pytest.mark.parametrize("place", ["//server/shop", "\\\\server\\shop", "\\\\server\\x\\shop\\till"])
def test_other_machines_are_never_asked(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A chat may name any place in the network: to follow links there would take long, and give the user away."""
    shop = workspace_of("file:///demo/shop", "linux")
    touched: list[str] = []

    def noted(path: str) -> str:
        touched.append(path)
        return path

    monkeypatch.setattr(os.path, "realpath", noted)

    assert not shop.holds(place)
    assert touched == []
    assert not shop.holds("/other/shop")
    assert touched == ["/other/shop"]
