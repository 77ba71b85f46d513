// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/record/ptx/warps.h"

#include "ptx/module.h"

#include <algorithm>
#include <bit>
#include <set>

namespace noc::record
{

namespace
{

constexpr unsigned line_bits = 6;
constexpr uint64_t most_lines = uint64_t(1) << 48;

// Returns the operation, behind a guard if there is one.
std::string operation_of(const std::string &statement)
{
	size_t at = statement.find_first_not_of(" \t\n");
	if (at != std::string::npos && statement[at] == '@') {
		at = statement.find_first_of(" \t\n", at);
		at = statement.find_first_not_of(" \t\n", at);
	}
	if (at == std::string::npos)
		return {};
	return statement.substr(at, statement.find_first_of(" \t\n;", at) - at);
}

} // namespace

warps::use warps::use_of(const std::string &statement)
{
	const std::string op = operation_of(statement);
	for (const char *space : {".shared", ".local", ".param", ".const"})
		if (op.find(space) != std::string::npos)
			return use::own;
	for (const char *writes : {"st.", "atom.", "red."})
		if (op.rfind(writes, 0) == 0)
			return use::write;
	return use::read;
}

warps::use warps::look(const het::ptx::simt::step &s)
{
	const auto [at, is_new] = known_.try_emplace({s.function, s.statement}, use::own);
	if (is_new) {
		const het::ptx::module &m = *s.function->source;
		at->second = use_of(std::string(m.str(m.statements[s.statement].text)));
	}
	return at->second;
}

void warps::step(const het::ptx::simt::step &s)
{
	const unsigned core = unsigned(s.block % cores_);
	unsigned &gap = gaps_[core];
	const use what = s.addresses ? look(s) : use::own;
	if (what == use::own) {
		gap = std::min(gap + 1, max_gap);
		return;
	}
	std::set<uint64_t> lines;
	for (uint64_t left = s.mask; left != 0; left &= left - 1)
		lines.insert((s.addresses[std::countr_zero(left)] >> line_bits) % most_lines);
	for (uint64_t line : lines) {
		const auto kind = what == use::write ? access_event::kind_t::write : access_event::kind_t::read;
		trace_[core].push_back({kind, uint16_t(gap), line});
		gap = 0;
	}
}

} // namespace noc::record
