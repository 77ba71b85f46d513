// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libFuzzer runs this: any text is read or refused with a place in it, and printed as it was.
#include "ptx/editor.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	std::string text(reinterpret_cast<const char *>(data), size);
	het::ptx::module m;
	if (auto wrong = het::ptx::parse(text, m)) {
		if (wrong->at.line < 1 || wrong->at.column < 1 || wrong->describe().empty())
			abort();
		return 0;
	}
	for (const auto &s : m.statements)
		if (s.text.begin > s.text.end || s.text.end > size)
			abort();
	if (het::ptx::editor(m).print() != text)
		abort();
	return 0;
}
