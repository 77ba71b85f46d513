// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Blocks that are sampled run a second copy of the kernel, in which warps add up what they ask for, now and then. The
// others run the text as it was: no instrument keeps its loads apart.
#include "ptx/passes/coalesce.h"
#include "ptx/passes/access.h"
#include "ptx/passes/branches.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/segments.h"
#include "ptx/passes/traces.h"

namespace het::ptx
{

namespace
{

static_assert(sizeof(coalesce_table) == 32 && sizeof(coalesce_counters) == 32);
constexpr std::string_view table_declaration = ".visible .const .align 8 .b8 het_coalesce_table[32];";

// The table lies in constant memory, where reading it is free; in global memory all warps of a grid would queue up at
// the one place of the cache that has it.
constexpr std::string_view begin = R"(.reg .pred %het_coalesce_p;
.reg .b32 %het_coalesce_<5>;
.reg .b64 %het_coalesce_a, %het_coalesce_o;
mov.u32 %het_coalesce_0, %ctaid.z;
mov.u32 %het_coalesce_1, %nctaid.y;
mov.u32 %het_coalesce_2, %ctaid.y;
mad.lo.u32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1, %het_coalesce_2;
mov.u32 %het_coalesce_1, %nctaid.x;
mov.u32 %het_coalesce_2, %ctaid.x;
mad.lo.u32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1, %het_coalesce_2;
ld.const.u32 %het_coalesce_1, [het_coalesce_table+4];
mad.lo.u32 %het_coalesce_0, %het_coalesce_0, 0x9e3779b1, %het_coalesce_1;
ld.const.u32 %het_coalesce_1, [het_coalesce_table];
setp.le.u32 %het_coalesce_p, %het_coalesce_0, %het_coalesce_1;
ld.const.u64 %het_coalesce_a, [het_coalesce_table+8];
setp.ne.and.u64 %het_coalesce_p, %het_coalesce_a, 0, %het_coalesce_p;
@%het_coalesce_p bra $het_coalesce_sampled;)";

// Lanes that come together draw together, since they read the clock together. When a warp draws again depends on what
// it drew: without the second factor loops fall into step with multiples of the first.
constexpr std::string_view draw = R"(mov.u32 %het_coalesce_0, %clock;
ld.const.u32 %het_coalesce_1, [het_coalesce_table+4];
add.u32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1;
mul.lo.u32 %het_coalesce_0, %het_coalesce_0, 0x9e3779b1;
shr.u32 %het_coalesce_1, %het_coalesce_0, 15;
xor.b32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1;
mul.lo.u32 %het_coalesce_0, %het_coalesce_0, 0x85ebca6b;
ld.const.u32 %het_coalesce_1, [het_coalesce_table+24];
setp.le.u32 %het_coalesce_p, %het_coalesce_0, %het_coalesce_1;
@%het_coalesce_p bra $het_coalesce_counted<n>;)";

constexpr std::string_view counted = R"($het_coalesce_counted<n>:
<text>
bra $het_coalesce_on<n>;
)";

// Most often a whole warp's addresses follow each other: then the first and the last one tell everything. Of other
// accesses the first lane of each group with the same line (or page) stands for it. The four sums, of which each is
// less than 256, travel in one register, lie beside each other, and are added by as many lanes as there are, so that a
// whole warp has one request. Nothing is called: at a call a
// thread waits for the loads that it has issued, and its kernel gets more registers.
constexpr std::string_view count = R"(mov.u32 %het_coalesce_0, %laneid;
activemask.b32 %het_coalesce_1;
mul.wide.u32 %het_coalesce_o, %het_coalesce_0, <width>;
sub.u64 %het_coalesce_o, %het_coalesce_a, %het_coalesce_o;
setp.ne.b32 %het_coalesce_p, %het_coalesce_1, -1;
@%het_coalesce_p bra <any>;
match.all.sync.b64 %het_coalesce_2|%het_coalesce_p, %het_coalesce_o, -1;
@!%het_coalesce_p bra <any>;
cvt.u32.u64 %het_coalesce_3, %het_coalesce_o;
and.b32 %het_coalesce_2, %het_coalesce_3, 127;
add.u32 %het_coalesce_2, %het_coalesce_2, <reach>;
shr.u32 %het_coalesce_2, %het_coalesce_2, 7;
and.b32 %het_coalesce_3, %het_coalesce_3, 65535;
add.u32 %het_coalesce_3, %het_coalesce_3, <reach>;
shr.u32 %het_coalesce_3, %het_coalesce_3, 16;
mad.lo.u32 %het_coalesce_2, %het_coalesce_3, 256, %het_coalesce_2;
add.u32 %het_coalesce_2, %het_coalesce_2, 257;
bra <sum>;
<any>:
mov.u32 %het_coalesce_0, %lanemask_lt;
shr.u64 %het_coalesce_o, %het_coalesce_a, 7;
match.any.sync.b64 %het_coalesce_2, %het_coalesce_o, %het_coalesce_1;
and.b32 %het_coalesce_2, %het_coalesce_2, %het_coalesce_0;
setp.eq.u32 %het_coalesce_p, %het_coalesce_2, 0;
vote.sync.ballot.b32 %het_coalesce_2, %het_coalesce_p, %het_coalesce_1;
popc.b32 %het_coalesce_2, %het_coalesce_2;
shr.u64 %het_coalesce_o, %het_coalesce_a, 16;
match.any.sync.b64 %het_coalesce_3, %het_coalesce_o, %het_coalesce_1;
and.b32 %het_coalesce_3, %het_coalesce_3, %het_coalesce_0;
setp.eq.u32 %het_coalesce_p, %het_coalesce_3, 0;
vote.sync.ballot.b32 %het_coalesce_3, %het_coalesce_p, %het_coalesce_1;
popc.b32 %het_coalesce_3, %het_coalesce_3;
mad.lo.u32 %het_coalesce_2, %het_coalesce_3, 256, %het_coalesce_2;
and.b32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1;
popc.b32 %het_coalesce_0, %het_coalesce_0;
<sum>:
popc.b32 %het_coalesce_1, %het_coalesce_1;
mad.lo.u32 %het_coalesce_2, %het_coalesce_2, 256, %het_coalesce_1;
mad.lo.u32 %het_coalesce_2, %het_coalesce_2, 256, 1;
mov.u32 %het_coalesce_3, %smid;
ld.const.u32 %het_coalesce_4, [het_coalesce_table+16];
and.b32 %het_coalesce_3, %het_coalesce_3, %het_coalesce_4;
ld.const.u32 %het_coalesce_4, [het_coalesce_table+20];
mul.lo.u32 %het_coalesce_3, %het_coalesce_3, %het_coalesce_4;
add.u32 %het_coalesce_3, %het_coalesce_3, <site>;
ld.const.u64 %het_coalesce_a, [het_coalesce_table+8];
mad.wide.u32 %het_coalesce_o, %het_coalesce_3, 32, %het_coalesce_a;
<next>:
setp.gt.u32 %het_coalesce_p, %het_coalesce_0, 3;
@%het_coalesce_p bra <skip>;
shl.b32 %het_coalesce_3, %het_coalesce_0, 3;
shr.u32 %het_coalesce_4, %het_coalesce_2, %het_coalesce_3;
and.b32 %het_coalesce_4, %het_coalesce_4, 255;
mad.wide.u32 %het_coalesce_a, %het_coalesce_0, 8, %het_coalesce_o;
add.u32 %het_coalesce_0, %het_coalesce_0, %het_coalesce_1;
{
.reg .b64 %het_coalesce_v;
cvt.u64.u32 %het_coalesce_v, %het_coalesce_4;
red.global.add.u64 [%het_coalesce_a], %het_coalesce_v;
}
bra <next>;
<skip>:)";

// Returns what the addresses of neighbouring lanes differ by where those of the warp follow each other.
unsigned bytes_of_access(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	if (op.base() == "cp" && i.operands > 2)
		return unsigned(m.operand_of(i, 2).value) % 32;
	return bytes_of(op.last_type()) * op.vector_width();
}

std::string counting(const module &m, const statement &s, const memory_access &a, size_t site, editor *e)
{
	const auto &i = m.instructions[s.index];
	unsigned width = bytes_of_access(m, i);
	auto skip = e->new_label();
	std::string text;
	if (!i.guard.empty())
		text += (i.guard_negated ? "@" : "@!") + std::string(m.str(i.guard)) + " bra " + skip + ";\n";
	text += address_into(m, s, *a.address, "%het_coalesce_a") + "\n";
	if (a.space == space::none)
		text += "isspacep.global %het_coalesce_p, %het_coalesce_a;\n@!%het_coalesce_p bra " + skip + ";\n";
	return text + filled(count, {{"skip", skip},
				     {"any", e->new_label()},
				     {"sum", e->new_label()},
				     {"next", e->new_label()},
				     {"site", std::to_string(site)},
				     {"width", std::to_string(width)},
				     {"reach", std::to_string(31 * width)}});
}

// Makes the body of a function for blocks that are sampled, behind the plain one. It shares the registers and variables
// of that one. Each segment with accesses stands in it twice: where it was, and counted behind all, or, if scopes have
// registers of their own, behind the segment.
class sampled_body
{
      public:
	sampled_body(const module &m, const function &f, pass_result *out, editor *main)
	    : m_(m), f_(f), out_(out), main_(main), e_(main->beside()), counted_(main->beside())
	{
	}

	// Returns false if there is nothing to count.
	bool make()
	{
		size_t sites = out_->sites.size();
		rename_labels(&counted_);
		for (const segment &s : segments_of(m_, f_))
			put(s);
		if (out_->sites.size() == sites)
			return false;
		rename_labels(&e_);
		for (const statement &s : m_.statements_of(f_))
			if (s.kind == statement::kind_t::variable && m_.block_parents[s.block] == 0)
				e_.replace(s.text, "");
		return true;
	}
	std::string text() const { return e_.print_part({f_.body.begin + 1, f_.body.end - 1}) + "\tret;\n" + behind_; }

      private:
	void put(const segment &part)
	{
		auto statements = std::span(m_.statements).subspan(part.first, part.last - part.first + 1);
		bool counts = false;
		for (const statement &s : statements) {
			if (s.kind != statement::kind_t::instruction)
				continue;
			const auto &i = m_.instructions[s.index];
			auto a = access_of(m_, i);
			if (added_by_pass(m_, i) || !a.may_be_global())
				continue;
			if (!counts)
				e_.before(statements.front(), filled(draw, {{"n", number()}}));
			counts = true;
			counted_.before(s, counting(m_, s, a, out_->sites.size(), main_));
			out_->sites.push_back({std::string(m_.str(f_.name)), m_.position_of(s.text.begin),
					       std::string(m_.str(s.text))});
		}
		if (!counts)
			return;
		span whole{statements.front().text.begin, statements.back().text.end};
		auto text = filled(counted, {{"text", counted_.print_part(whole)}, {"n", number()}});
		auto on = "$het_coalesce_on" + number() + ":";
		if (m_.block_parents[statements.front().block] == 0) {
			behind_ += text;
			e_.after(statements.back(), on);
		} else {
			e_.after(statements.back(), "bra $het_coalesce_on" + number() + ";\n" + text + on);
		}
		segments_++;
	}
	std::string number() const { return std::to_string(segments_); }

	void rename_labels(editor *e)
	{
		std::map<std::string_view, std::string> names;
		auto rename = [&](span where) {
			if (auto found = names.find(m_.str(where)); found != names.end())
				e->replace(where, found->second);
		};
		for (const statement &s : m_.statements_of(f_))
			if (s.kind == statement::kind_t::label)
				names.try_emplace(m_.str(m_.labels[s.index]), main_->new_label());
		for (const statement &s : m_.statements_of(f_)) {
			if (s.kind == statement::kind_t::label)
				rename(m_.labels[s.index]);
			if (s.kind != statement::kind_t::instruction)
				continue;
			const auto &i = m_.instructions[s.index];
			for (uint32_t n = 0; n < i.operands; n++)
				if (m_.operand_of(i, n).kind == operand::kind_t::name)
					rename(m_.operand_of(i, n).text);
		}
		for (span target : indexed_targets(m_, f_))
			rename(target);
	}

	const module &m_;
	const function &f_;
	pass_result *out_;
	editor *main_; // it made the labels, which are new in the whole module
	editor e_;
	editor counted_;
	std::string behind_;
	unsigned segments_ = 0;
};

void count_in(const module &m, const function &f, editor *e, pass_result *out)
{
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		const auto &i = m.instructions[s.index];
		if (added_by_pass(m, i))
			continue;
		if (reads_unseen(m, i) || writes_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "uses memory in a way that is not counted"));
		else if (calls_unseen(m, i))
			out->blind.push_back(m.fault_at(s.text, "calls a function that is not in this text"));
	}
	sampled_body body(m, f, out, e);
	if (!body.make())
		return;
	e->at_begin(f, begin);
	uint32_t end = f.body.end - 1;
	e->replace({end, end}, "\tret;\n$het_coalesce_sampled:" + body.text());
}

std::optional<fault> refusal(const module &m)
{
	constexpr unsigned oldest_target = 70;
	if (auto slices = has_instrument(m, "het_slice_"))
		return m.fault_at({}, "warps have other numbers in slices: slice has to come after this pass");
	if (target_number(m) < oldest_target)
		return m.fault_at(m.target, "match.sync needs the target sm_70 or a later one");
	if (m.version_major < 6 || (m.version_major == 6 && m.version_minor < 2))
		return m.fault_at(m.target, "activemask needs PTX 6.2 or later");
	return std::nullopt;
}

} // namespace

pass_result add_coalesce(const module &m)
{
	pass_result out;
	out.refused = refusal(m);
	if (out.refused)
		return out;
	editor e(m);
	e.add_to_module(table_declaration);
	for (const auto &f : m.functions)
		if (f.has_body && !added_by_pass(m.str(f.name)))
			count_in(m, f, &e, &out);
	out.text = e.print();
	return out;
}

} // namespace het::ptx
