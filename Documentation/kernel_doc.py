# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The directive `kernel-doc`, as in Linux' own documentation: the comments of a header, through Linux' own script."""

import subprocess
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective, switch_source_input
from sphinx.util.nodes import nested_parse_with_titles

SCRIPTS = sorted(Path("/usr/lib").glob("linux-kbuild-*/scripts/kernel-doc"))


class KernelDoc(SphinxDirective):
    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        header = Path(self.env.srcdir, self.arguments[0])
        self.env.note_dependency(str(header))
        if not SCRIPTS:
            raise self.error("there is no kernel-doc: install linux-kbuild-6.1")
        command = ["perl", str(SCRIPTS[-1]), "-rst", "-Werror", "-sphinx-version", "5.3", str(header)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise self.error(f"kernel-doc {header}: {done.stderr}")
        text = StringList(done.stdout.expandtabs().splitlines(), source=str(header))
        parent = nodes.section()
        with switch_source_input(self.state, text):
            nested_parse_with_titles(self.state, text, parent)
        return parent.children


def setup(app) -> dict[str, bool]:
    app.add_directive("kernel-doc", KernelDoc)
    return {"parallel_read_safe": True}
