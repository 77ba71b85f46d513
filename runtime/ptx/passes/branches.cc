// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/branches.h"

#include "ptx/lexer.h"

#include <algorithm>

namespace het::ptx
{

std::vector<span> indexed_targets(const module &m, const function &f)
{
	std::vector<span> all;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::directive || !m.str(s.text).starts_with(".branchtargets"))
			continue;
		lexer words(std::string_view(m.text).substr(0, s.text.end), s.text.begin);
		for (token t = words.next(); t.kind != token_kind::end; t = words.next())
			if (t.kind == token_kind::name)
				all.push_back(t.text);
	}
	return all;
}

bool ends_straight_line(const module &m, const instruction &i)
{
	constexpr std::string_view all[] = {"bra", "brx", "call", "ret", "exit", "trap"};
	return std::ranges::find(all, mnemonic(m.str(i.opcode)).base()) != std::end(all);
}

} // namespace het::ptx
