#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""check-comments.py finds comments that are too wide, and mends them without a word lost."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "check-comments.py"
WIDE = " ".join(["word"] * 24)  # 119 columns


class CheckComments(unittest.TestCase):
    def run_on(self, text: str, *options: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.h"
            path.write_text(text)
            done = subprocess.run([sys.executable, SCRIPT, *options, path], capture_output=True, check=False)
            return done.returncode, path.read_text()

    def mended(self, before: str, after: str) -> None:
        self.assertEqual(self.run_on(before), (1, before))
        self.assertEqual(self.run_on(before, "--mend"), (0, after))

    def test_what_fits_stays(self):
        for text in (f"// {WIDE[:-3]}\n", f"int x; // {WIDE}\n", f'puts("{WIDE}");\n'):
            self.assertEqual(self.run_on(text, "--mend"), (0, text))

    def test_words_go_to_the_next_line_of_the_sentence(self):
        self.mended(f"// {WIDE} a b\n// c\nint x;\n", f"// {WIDE[:-5]}\n// word a b c\nint x;\n")

    def test_words_get_a_line_of_their_own(self):
        self.mended(f"\t// {WIDE}\n\tint x;\n", f"\t// {WIDE[:-10]}\n\t// word word\n\tint x;\n")
        self.mended(
            f"/**\n * {WIDE}\n * @return 0\n */\n", f"/**\n * {WIDE[:-5]}\n * word\n * @return 0\n */\n"
        )

    def test_a_comment_of_one_line_becomes_one_of_several(self):
        self.mended(f"\t/** {WIDE[:-10]} */\n", f"\t/**\n\t * {WIDE[:-10]}\n\t */\n")

    def test_a_long_word_can_not_be_mended(self):
        text = f"// {'x' * 130}\n"
        self.assertEqual(self.run_on(text, "--mend"), (1, text))


if __name__ == "__main__":
    unittest.main()
