# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Sphinx: HTML pages and man pages. `make docs` builds both; every warning is an error."""

from pathlib import Path

HERE = Path(__file__).parent

project = "libhet"
author = "the libhet authors"
copyright = author
version = release = (HERE.parent / "VERSION").read_text().strip()

extensions = []
exclude_patterns = ["examples"]
highlight_language = "none"
nitpicky = True
html_theme = "classic"
html_theme_options = {"nosidebar": True, "body_max_width": "60em"}
html_copy_source = False
html_show_sphinx = False
smartquotes = False


def man_page(path: Path) -> tuple[str, str, str, list[str], str]:
    """man/NAME.SECTION.rst, whose title is "NAME - description", becomes NAME(SECTION)."""
    name, section = path.stem.rsplit(".", 1)
    lines = (line for line in path.read_text().splitlines() if line.strip() and not line.startswith(".."))
    title = next(lines)
    if " - " not in title:
        raise ValueError(f"{path}: the title of a man page is 'NAME - description'")
    return f"man/{path.stem}", name, title.split(" - ", 1)[1], [], section


man_pages = [man_page(path) for path in sorted(HERE.glob("man/*.rst"))]
