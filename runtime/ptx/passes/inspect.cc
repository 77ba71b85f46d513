// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The pass inspect keeps of a kernel what decides which addresses it uses (inspect_slice.h), and makes a mark of each
// access. As with touch, marks are set where the straight line of code ends, so that what they wait for overlaps.
#include "ptx/passes/inspect.h"
#include "ptx/passes/access.h"
#include "ptx/passes/branches.h"
#include "ptx/passes/filled.h"
#include "ptx/passes/inspect_code.h"
#include "ptx/passes/inspect_refusals.h"
#include "ptx/passes/inspect_slice.h"
#include "ptx/passes/pass.h"
#include "ptx/passes/traces.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

constexpr std::string_view own = prefix::inspect;

std::string code(std::string_view text)
{
	return filled(text, {{"d", own}});
}

// Without a type, as in cp.async, an operand tells the size.
std::string bytes_of_load(const module &m, const instruction &i)
{
	const mnemonic op(m.str(i.opcode));
	if (op.base() == "cp" && i.operands > 2)
		return std::string(m.str(m.operand_of(i, 2)));
	return std::to_string(op.vector_width() * bytes_of(op.last_type()));
}

// Changes one function.
class inspector
{
      public:
	inspector(const module &m, const inspect_slice &slice, const function &f, editor *e)
	    : m_(m), slice_(slice), f_(f), e_(*e), jumps_(slice.jumps(f)), loops_(slice.loops(f))
	{
	}

	void run()
	{
		for (auto [from, to] : jumps_)
			name_target(to);
		for (n_ = 0; n_ < f_.statements; n_++) {
			const statement &s = m_.statements_of(f_)[n_];
			has_lines_ = false;
			begin_of(s);
			if (s.kind == statement::kind_t::instruction)
				instruction_at(s, m_.instructions[s.index]);
		}
		if (open_)
			e_.after(m_.statements_of(f_).back(), set_all());
		e_.at_begin(f_, code(inspect_code::begin) +
					(f_.is_entry ? "\n" + code(inspect_code::begin_of_kernel) : ""));
	}

      private:
	void name_target(uint32_t to)
	{
		if (to == f_.statements || targets_.contains(to))
			return;
		const statement &s = m_.statements_of(f_)[to];
		const bool is_label = s.kind == statement::kind_t::label;
		targets_[to] = is_label ? std::string(m_.str(m_.labels[s.index])) : e_.new_label();
	}

	// What a branch may go to begins a line of code.
	void begin_of(const statement &s)
	{
		const bool is_label = s.kind == statement::kind_t::label, is_loop = loops_.contains(n_);
		std::string lines = is_label || targets_.contains(n_) ? set_all() : "";
		if (!is_label && targets_.contains(n_))
			lines += (lines.empty() ? "" : "\n") + targets_[n_] + ":";
		if (!is_label && is_loop)
			lines += "\n" + code(inspect_code::loop);
		before(s, lines);
		if (is_label && is_loop)
			e_.after(s, code(inspect_code::loop));
	}

	void instruction_at(const statement &s, const instruction &i)
	{
		const bool kept = slice_.keeps(f_, n_);
		const auto base = mnemonic(m_.str(i.opcode)).base();
		if (slice_.uses_arrays(f_, s))
			access_at(s, i, kept);
		else if (auto jump = jumps_.find(n_); jump != jumps_.end())
			jump_to(s, jump->second);
		else if (base == "trap" && i.guard.empty())
			replace_end(s, "exit;");
		else if (kept || (i.guard.empty() && ends_straight_line(m_, i) && base != "call"))
			leave(s, i);
		else
			drop(s);
	}

	void leave(const statement &s, const instruction &i)
	{
		if (ends_straight_line(m_, i))
			before(s, set_all());
	}

	void replace_end(const statement &s, const std::string &text)
	{
		before(s, set_all());
		e_.replace(s.text, text);
	}

	void jump_to(const statement &s, uint32_t to)
	{
		replace_end(s, to == f_.statements ? "ret;" : "bra " + targets_[to] + ";");
	}

	void before(const statement &s, const std::string &lines)
	{
		if (lines.empty())
			return;
		e_.before(s, lines);
		has_lines_ = true;
	}

	// Takes the whole line if nothing else is on it.
	void drop(const statement &s)
	{
		span line = s.text;
		auto is_blank = [&](uint32_t at) { return m_.text[at] == ' ' || m_.text[at] == '\t'; };
		while (line.begin && is_blank(line.begin - 1))
			line.begin--;
		while (line.end < m_.text.size() && is_blank(line.end))
			line.end++;
		const bool alone = !has_lines_ && line.begin && m_.text[line.begin - 1] == '\n' &&
				   line.end < m_.text.size() && m_.text[line.end] == '\n';
		e_.replace(alone ? span{line.begin, line.end + 1} : s.text, "");
	}

	void access_at(const statement &s, const instruction &i, bool kept)
	{
		const auto a = access_of(m_, i);
		const bool loads = kept && !a.writes, stores = kept && a.writes;
		if (open_ + a.reads + a.writes + loads > inspect_code::most_marks)
			before(s, set_all());
		std::string lines = address_into(m_, s, *a.address, "%" + std::string(own) + "a");
		// Where the guard does not hold the address may be anything.
		if (!i.guard.empty())
			lines += std::string(i.guard_negated ? "\n@" : "\n@!") + std::string(m_.str(i.guard)) +
				 " mov.u64 %" + std::string(own) + "a, -1;";
		const bool is_generic = a.space == space::none;
		if (stores)
			lines += "\n" + code(inspect_code::may_store);
		if (loads && is_generic)
			lines += "\n" + code(inspect_code::is_global);
		lines += "\n" + code(inspect_code::find) + "\n" + code(inspect_code::count);
		if (a.reads)
			lines += look(offsetof(inspect_table, reads));
		if (a.writes)
			lines += look(offsetof(inspect_table, writes));
		if (loads)
			lines += look(offsetof(inspect_table, sources)) + may_load(i, is_generic);
		if (!kept) {
			put_instead(s, lines);
			return;
		}
		before(s, lines);
		e_.replace({s.text.begin, i.opcode.begin}, "@%" + std::string(own) + "ok ");
		if (loads)
			clear_results(s);
	}

	void put_instead(const statement &s, const std::string &lines)
	{
		before(s, lines);
		e_.replace(s.text, "");
	}

	std::string look(size_t matrix)
	{
		return "\n" + filled(inspect_code::look,
				     {{"d", own}, {"k", std::to_string(open_++)}, {"matrix", std::to_string(matrix)}});
	}

	std::string may_load(const instruction &i, bool is_generic) const
	{
		std::string wants;
		const std::string m = "%" + std::string(own) + "m", p = "%" + std::string(own) + "p";
		if (!i.guard.empty() && i.guard_negated)
			wants = "\nnot.pred " + p + ", " + std::string(m_.str(i.guard)) + ";\nand.pred " + m + ", " +
				m + ", " + p + ";";
		else if (!i.guard.empty())
			wants = "\nand.pred " + m + ", " + m + ", " + std::string(m_.str(i.guard)) + ";";
		return "\n" + filled(inspect_code::may_load, {{"d", own}, {"bytes", bytes_of_load(m_, i)}}) +
		       (is_generic ? "\n" + code(inspect_code::may_load_others) : "") + "\n" +
		       filled(inspect_code::missed, {{"d", own}, {"wants", wants}});
	}

	// Whoever could not load goes on with zeroes.
	void clear_results(const statement &s)
	{
		std::string lines;
		const auto &registers = slice_.registers(f_);
		for (uint32_t r : registers.uses_of(n_).writes) {
			const unsigned bits = bits_of(registers[r].type);
			if (registers[r].vector == 1 && bits >= 16 && bits <= 64)
				lines += (lines.empty() ? "" : "\n") + std::string("@%") + std::string(own) +
					 "m mov.b" + std::to_string(bits) + " " + registers[r].name + ", 0;";
		}
		if (!lines.empty())
			e_.after(s, lines);
	}

	std::string set_all()
	{
		std::string lines;
		for (unsigned k = 0; k < open_; k++)
			lines += (k ? "\n" : "") + filled(inspect_code::set, {{"d", own}, {"k", std::to_string(k)}});
		open_ = 0;
		return lines;
	}

	const module &m_;
	const inspect_slice &slice_;
	const function &f_;
	editor &e_;
	const std::map<uint32_t, uint32_t> jumps_;
	const std::set<uint32_t> loops_;
	std::map<uint32_t, std::string> targets_; // labels of statements
	uint32_t n_ = 0;
	unsigned open_ = 0;      // marks that are still to be set
	bool has_lines_ = false; // before the statement
};

} // namespace

pass_result add_inspect(const module &m)
{
	pass_result out;
	inspect_slice slice(m);
	out.left = find_inspected(m, &slice);
	for (const auto &k : out.left)
		out.blind.push_back(
			{k.why.at, k.why.token, "kernel " + k.name + " can't be inspected: it " + k.why.what});
	editor e(m);
	e.add_to_module(code(inspect_code::table));
	for (const function &f : m.functions) {
		if (slice.has(f))
			inspector(m, slice, f, &e).run();
		else if (f.is_entry && f.has_body)
			e.replace({m.statements[f.statement].text.begin, f.body.end}, "");
	}
	out.text = e.print();
	return out;
}

} // namespace het::ptx
