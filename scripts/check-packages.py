#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What debian/ says is what the project is, as far as that can be known without building packages.

  check-packages.py LIBRARY ROOT

LIBRARY is the built libhet.so, ROOT the folder that `make install dkms_install DESTDIR=ROOT PREFIX=/usr` filled."""

import fnmatch
import re
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def lines_of(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]


def names_of_pages(sources: Path) -> set[str]:
    """The manual pages that `make docs` makes, which need not have been made here (see Documentation/conf.py)."""
    pages = set()
    for page in sources.glob("*.rst"):
        name, section = page.stem.rsplit(".", 1)
        others = re.findall(r"^\.\. also: (.*)$", page.read_text(), re.M)
        for n in [name, *(o for line in others for o in line.split())]:
            pages.add(f"usr/share/man/man{section}/{n}.{section}")
    return pages


def packages_of(control: str) -> set[str]:
    return set(re.findall(r"^Package: (\S+)$", control, re.M))


def belongs(file: str, pattern: str) -> bool:
    """As dh_install has it: a pattern's star stops at no slash, and one that names a folder means all in it."""
    parts, wanted = file.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(fnmatch.fnmatchcase(p, w) for p, w in zip(parts, wanted))


def faults_of_files(debian: Path, files: set[str]) -> list[str]:
    """Each file is in one package, and each pattern means a file."""
    patterns = [(p.stem, line) for p in sorted(debian.glob("*.install")) for line in lines_of(p)]
    faults = []
    for file in sorted(files):
        takers = {package for package, pattern in patterns if belongs(file, pattern)}
        if len(takers) != 1:
            faults.append(f"{file} is in {'packages ' + ' and '.join(sorted(takers)) if takers else 'no package'}")
    for package, pattern in patterns:
        if not any(belongs(file, pattern) for file in files):
            faults.append(f"{package}.install: nothing that is installed looks like {pattern}")
    return faults


def exported(library: Path) -> set[str]:
    """Symbols as Debian writes them: with their version, or that of none."""
    output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    names = [line.split()[-1].replace("@@", "@") for line in output.splitlines()]
    versions = {name.partition("@")[2] for name in names}
    return {n if "@" in n else f"{n}@{n if n in versions else 'Base'}" for n in names}


def faults_of_symbols(path: Path, library: Path) -> list[str]:
    named = {line.split()[0] for line in lines_of(path) if line.startswith(" ")}
    there = exported(library)
    faults = [f"{path.name} lacks {s}, which libhet.so exports" for s in sorted(there - named)]
    return faults + [f"{path.name} has {s}, which libhet.so does not export" for s in sorted(named - there)]


def faults_of_version(changelog: str, version: str) -> list[str]:
    stated = re.match(r"libhet \(([^)]*)\)", changelog)
    if stated and stated[1] == version:
        return []
    return [f"changelog: its first entry is of {stated[1] if stated else 'no version'}, and VERSION says {version}"]


def faults_of_lists(debian: Path, packages: set[str]) -> list[str]:
    """debhelper does not read a list whose package has another name."""
    lists = [p for end in ("install", "links", "symbols", "examples", "postinst") for p in debian.glob(f"*.{end}")]
    return [f"{p.name}: control has no package {p.stem}" for p in sorted(lists) if p.stem not in packages]


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    library, root = Path(sys.argv[1]), Path(sys.argv[2])
    debian = PROJECT / "debian"
    files = {p.relative_to(root).as_posix() for p in root.rglob("*") if not p.is_dir()}
    files |= names_of_pages(PROJECT / "Documentation/man")
    files.add("lib/udev/rules.d/60-gpuvm.rules")  # which debian/rules adds
    faults = [
        *faults_of_version((debian / "changelog").read_text(), (PROJECT / "VERSION").read_text().strip()),
        *faults_of_lists(debian, packages_of((debian / "control").read_text())),
        *faults_of_files(debian, files),
        *faults_of_symbols(debian / "libhet0.symbols", library),
    ]
    print("\n".join(f"debian/: {fault}" for fault in faults) or f"debian/ has {len(files)} files, each in one package")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
