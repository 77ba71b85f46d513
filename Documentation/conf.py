# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Sphinx: HTML pages and man pages. `make docs` builds both; every warning is an error."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "libhet"
author = "the libhet authors"
copyright = author
version = release = (HERE.parent / "VERSION").read_text().strip()

extensions = ["kernel_doc"]
exclude_patterns = ["examples"]
highlight_language = "none"
nitpicky = True
html_theme = "classic"
html_theme_options = {"nosidebar": True, "body_max_width": "60em"}
html_copy_source = False
html_show_sphinx = False
smartquotes = False


def man_pages_of(path: Path) -> list[tuple[str, str, str, list[str], str]]:
    """man/NAME.SECTION.rst, whose title is "NAME - description", becomes NAME(SECTION). A comment ".. also: NAME..."
    names further pages with the same text."""
    name, section = path.stem.rsplit(".", 1)
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    title = next(line for line in lines if not line.startswith(".."))
    if " - " not in title:
        raise ValueError(f"{path}: the title of a man page is 'NAME - description'")
    also = [n for line in lines if line.startswith(".. also: ") for n in line.split()[2:]]
    return [(f"man/{path.stem}", n, title.split(" - ", 1)[1], [], section) for n in [name, *also]]


man_pages = [page for path in sorted(HERE.glob("man/*.rst")) for page in man_pages_of(path)]
