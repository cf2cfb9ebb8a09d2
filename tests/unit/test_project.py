"""What no file of the project may hold, and how many commands a person has to know."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Split, so that this file does not hold what it looks for.
HOSTS = re.compile(
    "|".join(
        ("registry" + r"\.npm", "py" + r"pi\.org", "python" + "hosted", "deb" + r"\.debian", "npm" + r"js\.(com|org)")
    )
)


def test_no_file_names_a_registry() -> None:
    """No file of the project, lock files included, names the host of a package registry."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    found = [str(path) for path in paths if path.is_file() and HOSTS.search(path.read_bytes().decode("latin-1"))]

    assert found == []


def test_there_are_at_most_six_commands() -> None:
    """The Makefile has at most six targets that a person types."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)

    assert phony
    assert len(phony[1].split()) <= 6


def test_a_release_is_built_by_pinned_actions_without_rights() -> None:
    """Each action is named by a whole commit; a job gets only the rights that it asks for."""
    workflow = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    used = re.findall(r"uses: (.*)$", workflow, re.MULTILINE)

    assert used
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", one)] == []
    assert "\npermissions: {}\n" in workflow
    assert workflow.count("\n    permissions:") == len(re.findall(r"^    runs-on:", workflow, re.MULTILINE))


def test_the_paths_that_documents_name_exist() -> None:
    """Every path that ARCHITECTURE.md or CONTRIBUTING.md names is there, from one of the roots they use."""
    roots = ("", "server/compact_chat", "vscode-client", "vscode-client/src", "tests/bench")
    named = re.compile(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|md|ts|json|mjs|sh|toml))`")
    missing = [
        f"{page}: {path}"
        for page in ("ARCHITECTURE.md", "CONTRIBUTING.md")
        for path in named.findall((ROOT / page).read_text("utf-8"))
        if not any((ROOT / root / path).exists() for root in roots)
    ]

    assert missing == []


def test_the_links_and_pictures_of_documents_are_there() -> None:
    """A relative address in any document leads to a file, from the document's own folder."""
    address = re.compile(r"""(?:\]\(|\b(?:src|srcset)=")(?![a-z]+:|#)([^)#"\s]+)""")
    code = re.compile(r"`[^`\n]*`|^```.*?^```", re.MULTILINE | re.DOTALL)
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("vscode-client/*.md")]
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in pages
        for path in address.findall(code.sub("", page.read_text("utf-8")))
        if not (page.parent / path).exists()
    ]

    assert len(pages) > 5
    assert missing == []
