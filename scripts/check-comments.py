#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""No line of a comment is wider than 120 columns. (clang-format leaves comments as they are.)

  check-comments.py [--mend] FILE...

With --mend the words that stand too far right go to the next line of the sentence."""

import re
import sys
from pathlib import Path

WIDEST = 120
LINE = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>//|/\*\*?|\*)(?P<text> .*)$")
# These begin lines of their own.
FIRST = re.compile(r"^(@(param|return|retval)\b|[-*] |\d\. |\s|$)")


def width(line: str) -> int:
    return len(line.expandtabs(8))


def too_wide(line: str) -> bool:
    return width(line) > WIDEST and LINE.match(line) is not None


def cut(line: str) -> tuple[str, str]:
    """What fits, and the words that do not."""
    words = line.split(" ")
    # The indentation has tabs alone, so the first word has them and the mark.
    last = len(words)
    while width(" ".join(words[:last])) > WIDEST and last > 2:
        last -= 1
    return " ".join(words[:last]), " ".join(words[last:])


def mended(lines: list[str]) -> list[str]:
    lines, i = list(lines), 0
    while i < len(lines):
        if not too_wide(lines[i]):
            i += 1
            continue
        found = LINE.match(lines[i])
        mark = "//" if found["mark"] == "//" else " *"
        indent = found["indent"] if found["mark"] != "*" else found["indent"].removesuffix(" ")
        if mark == " *" and found["mark"] != "*" and lines[i].endswith("*/"):
            # A comment of one line becomes one of several.
            text = found["text"].removesuffix("*/").rstrip()
            lines[i : i + 1] = [f"{indent}{found['mark']}", f"{indent} *{text}", f"{indent} */"]
            continue
        fits, rest = cut(lines[i])
        if not rest:
            i += 1  # one word is too long
            continue
        lines[i] = fits
        follower = LINE.match(lines[i + 1]) if i + 1 < len(lines) else None
        beginning = f"{indent}{mark} "
        if follower and lines[i + 1].startswith(beginning) and not FIRST.match(lines[i + 1].removeprefix(beginning)):
            lines[i + 1] = f"{beginning}{rest} {lines[i + 1].removeprefix(beginning)}"
        else:
            lines.insert(i + 1, beginning + rest)
        i += 1
    return lines


def main() -> int:
    mend = "--mend" in sys.argv
    faults = 0
    for name in sys.argv[1:]:
        if name == "--mend":
            continue
        text = Path(name).read_text()
        lines = text.split("\n")
        if mend and (new := mended(lines)) != lines:
            Path(name).write_text("\n".join(new))
            lines = new
        for number, line in enumerate(lines, 1):
            if too_wide(line):
                faults += 1
                print(f"{name}:{number}: a comment of {width(line)} columns; {WIDEST} are allowed (make format mends it)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
