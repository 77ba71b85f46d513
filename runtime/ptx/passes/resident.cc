// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// With the pass resident each access to global or generic memory goes to where its granule is: to a copy on the device,
// or to the host's own memory.
#include "ptx/passes/resident.h"
#include "ptx/passes/access.h"
#include "ptx/passes/branches.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/traces.h"

namespace het::ptx
{

namespace
{

// As with touch nothing branches, and what is marked is counted where the straight line of code ends: ptxas can
// go on ordering the program's own accesses. Nobody changes moves while a kernel runs, so they are read as constants
// are, also across stores.
//
// <d> stands for the pass's prefix, <k> for the number of an access that is still to be counted.
static_assert(sizeof(resident_table) == 40 && resident_counted == 1);
constexpr std::string_view table_of_ranges = ".visible .const .align 8 .b8 <d>table[40];";

constexpr unsigned most_accesses = 4;
// All threads of a grid may use one granule at once, and adding to one counter takes them longer than the bus does: so
// only some warps count, and it is known from the begin which.
constexpr std::string_view resident_begin = R"(.reg .pred %<d>in<4>, %<d>s;
.reg .b32 %<d>n<4>, %<d>g;
.reg .b64 %<d>a, %<d>c, %<d>by<4>;
mov.u32 %<d>g, %tid.x;
shr.u32 %<d>g, %<d>g, 5;
mov.u32 %<d>n0, %ctaid.x;
mad.lo.u32 %<d>g, %<d>n0, 0x9e3779b1, %<d>g;
mov.u32 %<d>n0, %ctaid.y;
mad.lo.u32 %<d>g, %<d>n0, 0x85ebca6b, %<d>g;
mul.lo.u32 %<d>g, %<d>g, 0x9e3779b1;
shr.u32 %<d>g, %<d>g, 16;
ld.const.u32 %<d>n0, [<d>table+36];
and.b32 %<d>g, %<d>g, %<d>n0;
setp.eq.u32 %<d>s, %<d>g, 0;)";

// The address is in %<d>a.
constexpr std::string_view move = R"(ld.const.u64 %<d>c, [<d>table];
sub.u64 %<d>by<k>, %<d>a, %<d>c;<unless>
ld.const.u64 %<d>c, [<d>table+8];
setp.lt.u64 %<d>in<k>, %<d>by<k>, %<d>c;
ld.const.u32 %<d>g, [<d>table+32];
shr.u64 %<d>c, %<d>by<k>, %<d>g;
cvt.u32.u64 %<d>n<k>, %<d>c;
ld.const.u64 %<d>c, [<d>table+16];
mad.wide.u32 %<d>c, %<d>n<k>, 8, %<d>c;
mov.u64 %<d>by<k>, 0;
@%<d>in<k> ld.global.nc.u64 %<d>by<k>, [%<d>c];
and.b64 %<d>c, %<d>by<k>, -2;
add.u64 %<d>a, %<d>a, %<d>c;)";

constexpr std::string_view count_marked = R"(and.b64 %<d>c, %<d>by<k>, 1;
setp.ne.and.u64 %<d>in<k>, %<d>c, 0, %<d>s;
ld.const.u64 %<d>c, [<d>table+24];
mad.wide.u32 %<d>c, %<d>n<k>, 8, %<d>c;
@%<d>in<k> red.global.add.u64 [%<d>c], 1;)";

constexpr std::string_view d = prefix::resident;

// Changes one function.
class mover
{
      public:
	mover(const module &m, const function &f, editor *e, pass_result *out) : m_(m), f_(f), e_(*e), out_(*out) {}

	void run()
	{
		for (const statement &s : m_.statements_of(f_)) {
			if (s.kind == statement::kind_t::label)
				count_before(s);
			else if (s.kind == statement::kind_t::instruction)
				instruction_at(s, m_.instructions[s.index]);
		}
		if (open_)
			e_.after(m_.statements_of(f_).back(), count_all());
		if (moved_)
			e_.at_begin(f_, filled(resident_begin, {{"d", d}}));
	}

      private:
	void instruction_at(const statement &s, const instruction &i)
	{
		if (added_by_pass(m_, i))
			return;
		if (auto x = matrix_access_of(m_, i); x && x->may_be_global())
			out_.blind.push_back(m_.fault_at(s.text, "uses a matrix, which may lie in several granules"));
		else if (!x && writes_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "writes memory in a way that is not followed"));
		else if (!x && reads_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "reads memory in a way that is not followed"));
		else if (calls_unseen(m_, i))
			out_.blind.push_back(m_.fault_at(s.text, "calls a function that is not in this text"));
		// Variables of the module are no arrays of the host's.
		else if (auto a = access_of(m_, i); a.may_be_global() && !names_variable(m_, s, *a.address))
			move_access(s, i, *a.address, true);
		else if (auto hint = address_of_hint(i); hint && !names_variable(m_, s, *hint))
			move_access(s, i, *hint, false);
		if (ends_straight_line(m_, i))
			count_before(s);
	}

	// Hints about an address would be of no use, or worse, where nothing may be. Those for maps of tensors are not
	// about arrays.
	const operand *address_of_hint(const instruction &i) const
	{
		mnemonic op(m_.str(i.opcode));
		const bool hints = op.base() == "prefetch" || op.base() == "prefetchu" || op.base() == "applypriority";
		const bool may_be_global = op.state_space() == space::global || op.state_space() == space::none;
		if (!hints || op.has("tensormap") || !may_be_global || !i.operands ||
		    m_.operand_of(i, 0).kind != operand::kind_t::address)
			return nullptr;
		return &m_.operand_of(i, 0);
	}

	void move_access(const statement &s, const instruction &i, const operand &address, bool is_counted)
	{
		if (open_ == most_accesses)
			count_before(s);
		const std::string a = "%" + std::string(d) + "a";
		// Where the guard does not hold the address may be anything, so one is taken that is out of range.
		std::string unless, k = std::to_string(open_);
		open_ += is_counted;
		if (!i.guard.empty())
			unless = std::string(i.guard_negated ? "\n@" : "\n@!") + std::string(m_.str(i.guard)) +
				 " mov.u64 %" + std::string(d) + "by" + k + ", -1;";
		e_.before(s, address_into(m_, s, address, a) + "\n" +
				     filled(move, {{"d", d}, {"k", k}, {"unless", unless}}));
		e_.replace(address.text, "[" + a + "]");
		moved_ = true;
	}

	std::string count_all()
	{
		std::string lines;
		for (unsigned k = 0; k < open_; k++)
			lines += (k ? "\n" : "") + filled(count_marked, {{"d", d}, {"k", std::to_string(k)}});
		open_ = 0;
		return lines;
	}

	void count_before(const statement &s)
	{
		if (open_)
			e_.before(s, count_all());
	}

	const module &m_;
	const function &f_;
	editor &e_;
	pass_result &out_;
	unsigned open_ = 0;
	bool moved_ = false;
};

} // namespace

pass_result add_resident(const module &m)
{
	pass_result out;
	editor e(m);
	e.add_to_module(filled(table_of_ranges, {{"d", d}}));
	for (const auto &f : m.functions)
		if (f.has_body && !added_by_pass(m.str(f.name)))
			mover(m, f, &e, &out).run();
	out.text = e.print();
	return out;
}

} // namespace het::ptx
