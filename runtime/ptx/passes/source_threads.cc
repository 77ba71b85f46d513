// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/source_threads.h"

#include "ptx/lexer.h"
#include "ptx/number.h"
#include "ptx/passes/access.h"
#include "ptx/passes/filled.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool is_own(std::string_view name)
{
	return name.starts_with("%tid") || name.starts_with("%ntid");
}

bool is_of_lanes(std::string_view name)
{
	return name == "%laneid" || name == "%warpid" || name == "%nwarpid" || name.starts_with("%lanemask_");
}

} // namespace

std::optional<fault> source_threads::specials(const statement &s, const instruction &i)
{
	for (uint32_t n = 0; n < i.operands; n++)
		if (auto wrong = special(s, i, m_.operand_of(i, n)))
			return wrong;
	return std::nullopt;
}

std::optional<fault> source_threads::special(const statement &s, const instruction &i, const operand &o)
{
	for (uint32_t n = 0; n < o.children; n++)
		if (auto wrong = special(s, i, m_.child_of(o, n)))
			return wrong;
	auto name = m_.str(o.name);
	if (is_of_lanes(name))
		return m_.fault_at(o.text, "a thread of the source is a warp, which has no lane of its own here");
	if (!is_own(name))
		return std::nullopt;
	if (o.component.empty())
		return m_.fault_at(o.text, "only the components of this register can be followed");
	// Only x is larger than the source's.
	if (name.ends_with(".x")) {
		convert(i);
		e_.replace(o.name, register_for(name));
	}
	return std::nullopt;
}

// "mov.u64 %rd1, %tid.x" would not take the register of 32 bits that stands for it.
void source_threads::convert(const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	unsigned bits = bits_of(op.last_type());
	if (op.base() == "mov" && bits != 32)
		e_.replace(i.opcode, "cvt.u" + std::to_string(bits) + ".u32");
}

const std::string &source_threads::register_for(std::string_view special)
{
	auto found = registers_.find(special);
	if (found == registers_.end())
		found = registers_.emplace(special, e_.new_register(f_, type::b32)).first;
	return found->second;
}

// Changes bar.sync a, b; bar.arrive a, b; bar.red.popc.u32 d, a, b, p. A count that was rounded up to whole warps of
// the source must not ask for more warps than there are.
void source_threads::barrier(const statement &s, const instruction &i)
{
	mnemonic op(m_.str(i.opcode));
	bool reduces = op.has("red");
	uint32_t at = reduces ? 2 : 1;
	if (i.operands > at + reduces) { // one with a count
		if (total_.empty()) {
			total_ = e_.new_register(f_, type::b32);
			count_ = e_.new_register(f_, type::b32);
		}
		const operand &count = m_.operand_of(i, at);
		e_.before(s, filled("mov.b32 <count>, <source>;\nshl.b32 <count>, <count>, 5;\nmin.u32 <count>, "
				    "<count>, <total>;",
				    {{"count", count_}, {"source", m_.str(count)}, {"total", total_}}));
		e_.replace(count.text, count_);
	}
	if (!op.has("popc"))
		return;
	e_.after(s, guard_of(m_, i) + filled("shr.u32 <d>, <d>, 5;", {{"d", m_.str(m_.operand_of(i, 0))}}));
}

std::optional<fault> source_threads::launch_bounds()
{
	lexer words(std::string_view(m_.text).substr(0, f_.directives.end), f_.directives.begin);
	token t = words.next();
	while (t.kind != token_kind::end) {
		auto name = m_.str(t.text);
		span where = t.text;
		t = words.next();
		if (name != ".maxntid" && name != ".reqntid")
			continue;
		uint64_t extents[3] = {1, 1, 1}, threads = 1;
		for (unsigned n = 0; n < 3 && t.kind == token_kind::integer; n++) {
			extents[n] = integer_value(m_.str(t.text)).value_or(1);
			threads *= extents[n];
			where.end = t.text.end;
			t = words.next();
			if (t.kind == token_kind::punctuation && t.mark == ',')
				t = words.next();
		}
		if (name == ".reqntid" && threads > most_source_threads)
			return m_.fault_at(where, "a block has at most 32 threads of the source");
		auto wide = ".reqntid " + std::to_string(extents[0] * lanes_of_warp) + ", " +
			    std::to_string(extents[1]) + ", " + std::to_string(extents[2]);
		auto most = std::min<uint64_t>(threads, most_source_threads) * lanes_of_warp;
		e_.replace(where, name == ".reqntid" ? wide : ".maxntid " + std::to_string(most));
	}
	return std::nullopt;
}

std::string source_threads::prologue() const
{
	std::string lines;
	for (const auto &[special, to] : registers_)
		lines += filled("mov.u32 <to>, <special>;\nshr.u32 <to>, <to>, 5;\n",
				{{"to", to}, {"special", special}});
	if (total_.empty())
		return lines;
	return lines + filled("mov.u32 <total>, %ntid.x;\n"
			      "mov.u32 <count>, %ntid.y;\nmul.lo.u32 <total>, <total>, <count>;\n"
			      "mov.u32 <count>, %ntid.z;\nmul.lo.u32 <total>, <total>, <count>;\n",
			      {{"total", total_}, {"count", count_}});
}

std::string source_threads::warp_into(const std::string &to, const std::string &scratch)
{
	return filled("mov.u32 <to>, %tid.z;\nmov.u32 <n>, %ntid.y;\nmul.lo.u32 <to>, <to>, <n>;\n"
		      "mov.u32 <n>, %tid.y;\nadd.u32 <to>, <to>, <n>;\n"
		      "mov.u32 <n>, %ntid.x;\nmul.lo.u32 <to>, <to>, <n>;\n"
		      "mov.u32 <n>, %tid.x;\nadd.u32 <to>, <to>, <n>;\nshr.u32 <to>, <to>, 5;\n",
		      {{"to", to}, {"n", scratch}});
}

} // namespace het::ptx
