// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// With the passes dirty and touch, each access of their kind to global or generic memory looks at its page's flag, and
// sets it if it is not set.
#include "ptx/passes/pages.h"
#include "ptx/passes/access.h"
#include "ptx/passes/branches.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/traces.h"

namespace het::ptx
{

namespace
{

// Nothing here branches, and flags are set where the straight line of code ends: ptxas can go on ordering the program's
// own accesses, and a thread waits for flags when it has issued them all. The table lies in constant memory, where
// reading it is free; in global memory all warps of a grid would queue up at the one place of the cache that has it.
//
// <d> stands for the pass's prefix, and <k> for the number of a flag that was looked at and is still to be set.
static_assert(sizeof(page_table) == 32 && page_bytes == 1 << 16 && page_flag_rows == 1 << 6);
constexpr std::string_view table = ".visible .const .align 8 .b8 <d>table[32];";

constexpr unsigned most_open = 4;
constexpr std::string_view registers = R"(.reg .pred %<d>p;
.reg .b32 %<d>n, %<d>s, %<d>set<4>;
.reg .b64 %<d>a, %<d>c, %<d>flag<4>;)";

// The address is in %<d>a. Another thread may set the flag meanwhile: that it is set twice does no harm.
constexpr std::string_view look = R"(ld.const.u64 %<d>c, [<d>table];
sub.u64 %<d>a, %<d>a, %<d>c;<unless>
ld.const.u64 %<d>c, [<d>table+8];
setp.lt.u64 %<d>p, %<d>a, %<d>c;
shr.u64 %<d>c, %<d>a, 16;
cvt.u32.u64 %<d>n, %<d>c;
and.b32 %<d>n, %<d>n, 63;
shr.u64 %<d>a, %<d>a, 22;
ld.const.u64 %<d>c, [<d>table+16];
add.u64 %<d>a, %<d>a, %<d>c;
ld.const.u32 %<d>s, [<d>table+24];
mad.wide.u32 %<d>flag<k>, %<d>n, %<d>s, %<d>a;
mov.u32 %<d>set<k>, 1;
@%<d>p ld.global.u8 %<d>set<k>, [%<d>flag<k>];)";

constexpr std::string_view set = R"(setp.eq.u32 %<d>p, %<d>set<k>, 0;
@%<d>p st.global.u8 [%<d>flag<k>], 1;)";

// Each lane takes a row of the matrix, or a column, as they lie in memory: its first byte and its last.
constexpr std::string_view line = R"(mov.u32 %<d>n, %laneid;
and.b32 %<d>n, %<d>n, <last-line>;
mul.wide.u32 %<d>c, %<d>n, <stride>;
mad.lo.u64 %<d>a, %<d>c, <element>, %<d>a;
add.u64 %<d>a, %<d>a, <byte>;)";

struct page_pass {
	std::string prefix;
	bool counts_reads;
};

bool counts(const page_pass &p, const memory_access &a)
{
	return a.may_be_global() && (a.writes || (p.counts_reads && a.reads));
}

// Notes the pages of one function.
class noter
{
      public:
	noter(const page_pass &p, const module &m, const function &f, editor *e, pass_result *out)
	    : p_(p), m_(m), f_(f), e_(*e), out_(*out)
	{
	}

	void run()
	{
		for (const statement &s : m_.statements_of(f_)) {
			if (s.kind == statement::kind_t::label)
				set_before(s);
			else if (s.kind == statement::kind_t::instruction)
				instruction_at(s, m_.instructions[s.index]);
		}
		if (open_)
			e_.after(m_.statements_of(f_).back(), set_all());
		if (noted_)
			e_.at_begin(f_, filled(registers, {{"d", p_.prefix}}));
	}

      private:
	void instruction_at(const statement &s, const instruction &i)
	{
		if (added_by_pass(m_, i))
			return;
		if (auto x = matrix_access_of(m_, i))
			note_matrix(s, i, *x);
		else if (writes_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "writes memory in a way that is not followed"));
		else if (p_.counts_reads && reads_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "reads memory in a way that is not followed"));
		else if (calls_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "calls a function that is not in this text"));
		else if (auto a = access_of(m_, i); counts(p_, a))
			note(s, i, address_into(m_, s, *a.address, "%" + p_.prefix + "a"));
		if (ends_straight_line(m_, i))
			set_before(s);
	}

	void note_matrix(const statement &s, const instruction &i, const matrix_access &x)
	{
		if (!x.may_be_global() || !(x.writes || p_.counts_reads))
			return;
		for (unsigned byte : {0u, x.shape.line_bytes() - 1})
			note(s, i,
			     address_into(m_, s, *x.address, "%" + p_.prefix + "a") + "\n" +
				     filled(line, {{"d", p_.prefix},
						   {"last-line", std::to_string(x.shape.lines() - 1)},
						   {"stride", x.stride},
						   {"element", std::to_string(bytes_of(x.shape.element))},
						   {"byte", std::to_string(byte)}}));
	}

	// @address has lines that put the address into %<d>a.
	void note(const statement &s, const instruction &i, const std::string &address)
	{
		if (open_ == most_open)
			set_before(s);
		// Where the guard does not hold the address may be anything, so one is taken that is out of range.
		std::string unless;
		if (!i.guard.empty())
			unless = std::string(i.guard_negated ? "\n@" : "\n@!") + std::string(m_.str(i.guard)) +
				 " mov.u64 %" + p_.prefix + "a, -1;";
		e_.before(s,
			  address + "\n" +
				  filled(look, {{"d", p_.prefix}, {"k", std::to_string(open_++)}, {"unless", unless}}));
		noted_ = true;
	}

	std::string set_all()
	{
		std::string lines;
		for (unsigned k = 0; k < open_; k++)
			lines += (k ? "\n" : "") + filled(set, {{"d", p_.prefix}, {"k", std::to_string(k)}});
		open_ = 0;
		return lines;
	}

	void set_before(const statement &s)
	{
		if (open_)
			e_.before(s, set_all());
	}

	const page_pass &p_;
	const module &m_;
	const function &f_;
	editor &e_;
	pass_result &out_;
	unsigned open_ = 0;
	bool noted_ = false;
};

pass_result add_pages(const module &m, const page_pass &p)
{
	pass_result out;
	editor e(m);
	e.add_to_module(filled(table, {{"d", p.prefix}}));
	for (const auto &f : m.functions)
		if (f.has_body && !added_by_pass(m.str(f.name)))
			noter(p, m, f, &e, &out).run();
	out.text = e.print();
	return out;
}

} // namespace

pass_result add_dirty(const module &m)
{
	return add_pages(m, {"het_dirty_", false});
}

pass_result add_touch(const module &m)
{
	return add_pages(m, {"het_touch_", true});
}

} // namespace het::ptx
