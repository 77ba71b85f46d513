# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Packs an initramfs: programs with the libraries that they load, kernel modules with those that they need."""

import lzma
import re
import stat
import subprocess
from os.path import normpath
from pathlib import Path

MODINFO_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")


class Initramfs:
    """A cpio archive in the kernel's "newc" format. Paths in the guest are absolute."""

    def __init__(self) -> None:
        self.archive = bytearray()
        self.names: set[str] = set()

    def _entry(self, name: str, mode: int, content: bytes) -> None:
        self.names.add(name)
        encoded = name.lstrip("/").encode() + b"\0"
        # The fields are inode, mode, uid, gid, links, mtime, size, four device numbers, length of the name, checksum.
        fields = (len(self.names), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0)
        self.archive += b"070701" + b"".join(b"%08X" % f for f in fields) + encoded
        self._pad()
        self.archive += content
        self._pad()

    def _pad(self) -> None:
        self.archive += bytes(-len(self.archive) % 4)

    def _folders_of(self, name: str) -> None:
        for folder in reversed(Path(name).parents):
            if str(folder) not in self.names and folder != Path("/"):
                self._entry(str(folder), stat.S_IFDIR | 0o755, b"")

    def add(self, name: str, content: bytes, mode: int = 0o644) -> None:
        if name not in self.names:
            self._folders_of(name)
            self._entry(name, stat.S_IFREG | mode, content)

    def add_file(self, path: Path, name: str | None = None) -> None:
        """A file or a folder of the host, at the same place in the guest unless a name is given."""
        if path.is_dir():
            for inner in path.rglob("*"):
                if inner.is_file():
                    self.add_file(inner)
        else:
            self.add(name or str(path), path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)

    def add_program(self, path: Path, name: str | None = None) -> None:
        """A program, and the libraries that the dynamic linker would load for it."""
        self.add_file(path, name)
        listed = subprocess.run(["ldd", str(path)], capture_output=True, text=True)  # fails for static ones and scripts
        for library in re.findall(r"(/\S+) \(0x", listed.stdout):
            self.add_file(Path(normpath(library)))  # $ORIGIN/.. leaves dots

    def finished(self) -> bytes:
        self._entry("TRAILER!!!", 0, b"")
        return bytes(self.archive)


class Modules:
    """The modules of a kernel. Those that it has built in need no loading."""

    def __init__(self, kernel: Path) -> None:
        release = (kernel / "release").read_text().strip()
        self.folder = next(iter(kernel.glob(f"root/**/lib/modules/{release}")), None)
        self.paths = {}
        if self.folder:
            self.paths = {self._name(p): p for p in self.folder.rglob("*.ko*")}

    @staticmethod
    def _name(path: Path) -> str:
        return path.name.split(".")[0].replace("-", "_")

    def needed_for(self, names: list[str]) -> dict[str, bytes]:
        """The modules and what they depend on, in the order of loading."""
        found: dict[str, bytes] = {}
        for name in names:
            if name in self.paths:
                content = self._read(self.paths[name])
                depends = MODINFO_DEPENDS.search(content)
                before = depends[1].decode().replace("-", "_").split(",") if depends else []
                found |= self.needed_for(before) | {name: content}
        return found

    @staticmethod
    def _read(path: Path) -> bytes:
        return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
