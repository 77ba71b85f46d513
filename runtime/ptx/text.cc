// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/text.h"

namespace het::ptx
{

std::string fault::describe() const
{
	std::string s = std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + what;
	return s + (token.empty() ? ", at the end of the text" : ", at '" + token + "'");
}

} // namespace het::ptx
