# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The cell magic %%het for IPython and Jupyter: a cell of OpenCL C, whose kernels become variables.

    %load_ext het

    %%het -DN=3
    kernel void scale(global float *p) { p[get_global_id(0)] *= N; }

    scale[len(x)](x)

What stands behind %%het are the compiler's options. The program itself is the variable _het.
"""

from typing import Any

from IPython.core.magic import Magics, cell_magic, magics_class

from het._program import Program


@magics_class
class HetMagics(Magics):  # type: ignore[misc]
    @cell_magic  # type: ignore[misc]
    def het(self, line: str, cell: str) -> None:
        """Builds the cell's program, and makes variables of its kernels."""
        program = Program(cell, options=line.strip() or None)
        names = program.names()
        if not names:
            raise LookupError("%%het: no OpenCL device here tells which kernels the cell has: name them yourself, "
                              "het.Program(...)[name]")
        self.shell.push({name: program[name] for name in names} | {"_het": program})


def load(shell: Any) -> None:
    shell.register_magics(HetMagics)
