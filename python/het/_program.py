# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Programs: what they are made from is seen from the text or file itself."""

import ctypes
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Union

from het import _het
from het._errors import NoKernel
from het._het import Device, Kernel

Source = Union[str, bytes, "os.PathLike[str]"]
Function = tuple[Any, int]  # something with an address, and the number of the kernel's arguments

_PTX, _CUBIN = 1, 2
_PTX_START = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*\.version\b", re.S)
_PTX_ENTRY = re.compile(r"\.visible\s+\.entry\s+([\w$]+)")
_ELF_MACHINE_CUDA = 190


def _is_cubin(data: bytes) -> bool:
    return int.from_bytes(data[18:20], "little") == _ELF_MACHINE_CUDA


def _address_of(function: Any) -> int:
    """Of a function that Numba's cfunc made, that ctypes has, or an address."""
    if isinstance(function, int):
        return function
    if hasattr(function, "address"):
        return int(function.address)
    return ctypes.cast(function, ctypes.c_void_p).value or 0


def _made_from(source: Source) -> dict[str, Any]:
    """The arguments of the extension's Program for a text, the bytes of a file, or the path of one."""
    if isinstance(source, str):
        return {"images": [(_PTX, source.encode())]} if _PTX_START.match(source) else {"source": source}
    if isinstance(source, (bytes, bytearray, memoryview)):
        data = bytes(source)
        if not data.startswith(b"\x7fELF"):
            return _made_from(data.decode())
        return {"images": [(_CUBIN, data)]} if _is_cubin(data) else {"fat_binary": data}
    path = Path(source)
    with path.open("rb") as file:
        head = file.read(20)
    if head.startswith(b"\x7fELF") and not _is_cubin(head):
        return {"file": str(path)}
    return _made_from(path.read_bytes())


class Program:
    """Kernels from one source, for whatever devices there are.

    `source` is OpenCL C or PTX as text, the bytes of a fat binary (het-fatbin(1) makes them) or cubin, or the path of a
    file with one of these. `options` are the OpenCL compiler's. `functions` are kernels for the devices "host" and
    "apart": a name for each, with what has an address (a function compiled by Numba's cfunc, one of ctypes, a number)
    and how many arguments the kernel has; het.host has the types.

    Kernels are attributes, or items where their names are not Python's: program.saxpy, program["build"]. A program with
    one kernel has it as program.kernel, too. Nothing is compiled before a kernel is asked for.
    """

    def __init__(
        self,
        source: Source | None = None,
        *,
        options: str | None = None,
        functions: Mapping[str, Function] | None = None,
    ) -> None:
        self._functions = dict(functions or {})  # kernels and their launches keep it, too
        self._made_from: dict[str, Any] = {} if source is None else _made_from(source)
        table = [(name, _address_of(f), nargs) for name, (f, nargs) in self._functions.items()]
        made = self._made_from.get
        self._program = _het.Program(
            made("source"), options, made("file"), None, made("fat_binary"), made("images", []), table
        )
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of that name. Raises NoKernel, or BuildError with the compiler's words."""
        if name not in self._kernels:
            self._kernels[name] = self._program.kernel(name, self._functions or None)
        return self._kernels[name]

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__") or name in ("_kernels", "_program"):
            raise AttributeError(name)
        try:
            return self[name]
        except NoKernel as error:
            raise AttributeError(str(error)) from error

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.names()]

    def names(self) -> list[str]:
        """The names of its kernels, as far as they are known: of functions, of PTX, or from an OpenCL driver, which
        builds the program for that."""
        found = list(self._functions)
        for _, image in self._made_from.get("images", []):
            found += _PTX_ENTRY.findall(image.decode(errors="replace"))
        if not self._made_from.get("images") and self._made_from:
            opencl = [d for d in _het.devices() if d.kind == "opencl"]
            told = self._program.kernel_names(opencl[0]) if opencl else ""
            found += [name.removeprefix("_cl_") for name in told.split(";") if name]
        return list(dict.fromkeys(found))

    @property
    def kernel(self) -> Kernel:
        """The program's only kernel."""
        names = self.names()
        if "kernel" in names:
            return self["kernel"]
        if len(names) != 1:
            raise LookupError(f"the program has not one kernel but {len(names)} that are known: {', '.join(names)}")
        return self[names[0]]

    def build(self, device: Device) -> None:
        """Builds for a device now, and not when a kernel is first launched there. Raises BuildError."""
        self._program.build(device)

    def log(self, device: Device) -> str:
        """What the compiler said when it built for this device; "" if that was nothing."""
        return self._program.log(device)
