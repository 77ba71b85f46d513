// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/checkpoint_plan.h"

#include "ptx/passes/calls.h"
#include "ptx/passes/checkpoint_check.h"
#include "ptx/passes/divergence.h"
#include "ptx/passes/liveness.h"
#include "ptx/passes/recompute.h"

#include <algorithm>

namespace het::ptx
{

namespace
{

bool may_save(type t)
{
	unsigned bits = bits_of(t);
	return bits == 1 || bits == 16 || bits == 32 || bits == 64;
}

class kernel_planner
{
      public:
	kernel_planner(const module &m, const reach &calls, uint32_t kernel)
	    : m_(m), calls_(calls), kernel_(kernel), f_(m.functions[kernel]), flow_(m, f_), registers_(m, f_),
	      live_(flow_, registers_), again_(m, f_, registers_), warps_(flow_.blocks().size()),
	      barriers_(flow_.blocks().size()), each_round_(flow_.blocks().size())
	{
		mark_blocks();
	}

	checkpoint_plan run()
	{
		plan_.name = m_.str(f_.name);
		plan_.loops = uint32_t(flow_.loop_headers().size());
		plan_.begins_only = save_refusal(m_, calls_, kernel_);
		if (!plan_.begins_only)
			plan_.begins_only = list_variables();
		if (!plan_.begins_only)
			plan_.begins_only = add_points();
		if (!plan_.begins_only)
			lay_out();
		if (plan_.begins_only) {
			plan_.points.clear();
			plan_.size = {};
			plan_.shared.clear();
			plan_.local.clear();
		}
		return std::move(plan_);
	}

      private:
	// A called function counts where it is called, with all that it may call itself.
	void mark_blocks()
	{
		for (uint32_t n = 0; n < f_.statements; n++) {
			const statement &s = m_.statements_of(f_)[n];
			if (s.kind != statement::kind_t::instruction)
				continue;
			const instruction &i = m_.instructions[s.index];
			uint32_t b = flow_.block_of(n);
			barriers_[b] = barriers_[b] || is_whole_barrier(m_, i);
			each_round_[b] = each_round_[b] || (is_whole_barrier(m_, i) && i.guard.empty());
			warps_[b] = warps_[b] || waits_for_lanes(i);
			plan_.copies_async = plan_.copies_async || m_.str(i.opcode).starts_with("cp.async");
		}
	}

	bool waits_for_lanes(const instruction &i) const
	{
		mnemonic op(m_.str(i.opcode));
		if (op.base() != "call")
			return is_of_warps(op);
		auto name = callee_of(m_, i);
		auto *callee = m_.find_function(name);
		std::vector<uint32_t> callees;
		if (callee && callee->has_body)
			callees = calls_.from(uint32_t(callee - m_.functions.data()));
		else if (!callee || name.starts_with('%'))
			callees = calls_.from(kernel_);
		return std::any_of(callees.begin(), callees.end(),
				   [&](uint32_t f) { return f != kernel_ && has_warp_functions(m_.functions[f]); });
	}

	bool has_warp_functions(const function &f) const
	{
		auto body = m_.statements_of(f);
		return std::any_of(body.begin(), body.end(), [&](const statement &s) {
			return s.kind == statement::kind_t::instruction &&
			       is_of_warps(mnemonic(m_.str(m_.instructions[s.index].opcode)));
		});
	}

	std::optional<fault> list_variables()
	{
		for (uint32_t v : calls_.shared_variables(kernel_)) {
			const variable &one = m_.variables[v];
			if (one.linkage == linkage::external && one.elements == 0)
				continue; // what a launch adds is saved anyway
			if (auto wrong = hidden(one))
				return wrong;
			plan_.shared.push_back(v);
			plan_.size.shared_bytes += 4 * copied_words(one);
		}
		for (uint32_t v = 0; v < m_.variables.size(); v++) {
			const variable &one = m_.variables[v];
			if (one.space != space::local || (one.block && one.function != kernel_))
				continue;
			if (auto wrong = hidden(one))
				return wrong;
			plan_.local.push_back(v);
			plan_.size.local_words += copied_words(one);
		}
		return std::nullopt;
	}

	std::optional<fault> hidden(const variable &v) const
	{
		if (v.block && v.block != outermost())
			return m_.fault_at(v.name, "is declared in a scope of its own, where nothing else can name it");
		return std::nullopt;
	}

	uint32_t outermost() const { return m_.statements_of(f_).front().block; }

	std::optional<fault> add_points()
	{
		std::vector<bool> joint(warps_);
		for (size_t b = 0; b < joint.size(); b++)
			joint[b] = joint[b] || barriers_[b];
		const divergence parts(m_, f_, flow_, registers_, joint);
		find_intervals(parts);
		for (uint32_t n = 0; n < f_.statements; n++) {
			const statement &s = m_.statements_of(f_)[n];
			bool barrier = s.kind == statement::kind_t::instruction &&
				       is_whole_barrier(m_, m_.instructions[s.index]);
			if (barrier || stops_at_header(n))
				if (auto wrong = add_point(n, barrier, parts))
					return wrong;
		}
		return std::nullopt;
	}

	// A loop with a barrier in each round is stopped there.
	bool stops_at_header(uint32_t n) const
	{
		auto &all = flow_.loop_headers();
		return std::find(all.begin(), all.end(), n) != all.end() &&
		       flow_.comes_back(flow_.block_of(n), each_round_);
	}

	// Returns why the kernel can't be stopped at all, if there is a reason.
	std::optional<fault> add_point(uint32_t n, bool barrier, const divergence &parts)
	{
		stop_point p;
		p.statement = barrier ? place_before_barrier(m_, f_, n) : n;
		p.at_barrier = barrier;
		p.replaced = barrier && p.statement == n && !is_reduction(n);
		auto wrong = save_registers(&p);
		if (!wrong && !barrier)
			wrong = agree(&p, parts);
		if (!wrong) {
			plan_.points.push_back(std::move(p));
			return std::nullopt;
		}
		// Others would wait here for those that stop before the barrier, or a thread for one that has stopped.
		if (barrier)
			return wrong;
		if (auto *s = find_meeting(m_, f_, n, flow_.last_of_loop(n)))
			return m_.fault_at(s->text,
					   "may wait for threads that stop, in a loop that can't be stopped: " +
						   wrong->what);
		plan_.unstopped.push_back(*wrong);
		return std::nullopt;
	}

	bool is_reduction(uint32_t n) const
	{
		return mnemonic(m_.str(m_.instructions[m_.statements_of(f_)[n].index].opcode)).has("red");
	}

	// Lanes that wait for each other later must stop in the same round, which they can if all of them run it.
	std::optional<fault> agree(stop_point *p, const divergence &parts) const
	{
		uint32_t b = flow_.block_of(p->statement);
		auto reached = flow_.reached_from(b);
		reached[b] = true;
		for (uint32_t x = 0; x < reached.size(); x++)
			p->votes = p->votes || (reached[x] && warps_[x]);
		for (uint32_t x = 0; x < reached.size(); x++)
			if (warps_[x] && !reached[x] && parts.may_part(x) && may_run_beside(b, x))
				return m_.fault_at(m_.statements_of(f_)[p->statement].text,
						   "is a loop in which lanes of a warp may be while others wait for "
						   "them at line " +
							   std::to_string(line_of_waiting(x)));
		if (!p->votes || !parts.may_part(b))
			return std::nullopt;
		return m_.fault_at(m_.statements_of(f_)[p->statement].text,
				   "is a loop whose rounds lanes of a warp may run apart, and they wait for each other "
				   "in it or behind it");
	}

	// What threads of a warp run between two barriers that all of them pass they may run at the same time. Barriers
	// that lanes come to on different ways may be one to the hardware.
	void find_intervals(const divergence &parts)
	{
		const auto count = uint32_t(flow_.blocks().size());
		std::vector<bool> behind_parted(count);
		for (uint32_t s = 0; s < count; s++) {
			if (s && !each_round_[s])
				continue;
			auto all = interval_from(s);
			if (!s || !parts.may_part(s)) {
				intervals_.push_back(std::move(all));
				continue;
			}
			for (uint32_t x = 0; x < count; x++)
				behind_parted[x] = behind_parted[x] || all[x];
		}
		intervals_.push_back(std::move(behind_parted));
	}

	// A block with a barrier is in the interval before it, and in the one behind it.
	std::vector<bool> interval_from(uint32_t start) const
	{
		auto all = flow_.reached_from(start, each_round_);
		all[start] = true;
		for (uint32_t x = 0; x < all.size(); x++) {
			if (!all[x] || (each_round_[x] && x != start))
				continue;
			for (uint32_t n : flow_.blocks()[x].next)
				all[n] = true;
		}
		return all;
	}

	bool may_run_beside(uint32_t a, uint32_t b) const
	{
		return std::any_of(intervals_.begin(), intervals_.end(), [&](auto &i) { return i[a] && i[b]; });
	}

	uint32_t line_of_waiting(uint32_t block) const
	{
		const basic_block &b = flow_.blocks()[block];
		for (uint32_t n = b.first; n < b.end; n++) {
			const statement &s = m_.statements_of(f_)[n];
			if (s.kind == statement::kind_t::instruction && waits_for_lanes(m_.instructions[s.index]))
				return m_.position_of(s.text.begin).line;
		}
		return 0;
	}

	std::optional<fault> save_registers(stop_point *p) const
	{
		const statement &s = m_.statements_of(f_)[p->statement];
		if (s.block != outermost())
			return m_.fault_at(s.text, "is in a scope of its own, which nothing outside can come back to");
		std::vector<uint32_t> again;
		std::vector<saved_value> saved;
		for (uint32_t r : live_.before(p->statement)) {
			const register_info &info = registers_[r];
			// What a scope declares has no value before it is entered.
			if (info.scope != outermost())
				continue;
			p->live_bytes += std::max(bits_of(info.type) / 8, 1u) * info.vector;
			if (again_.has(r)) {
				again.push_back(r);
				continue;
			}
			if (!may_save(info.type))
				return m_.fault_at(s.text, "needs " + info.name + ", a register of type ." +
								   std::string(name_of(info.type)));
			add_components(info, r, &saved);
		}
		p->recomputed = again_.of(again);
		p->saved = units_of(saved);
		return std::nullopt;
	}

	static void add_components(const register_info &r, uint32_t number, std::vector<saved_value> *to)
	{
		constexpr std::string_view components[] = {".x", ".y", ".z", ".w"};
		for (uint8_t k = 0; k < r.vector; k++)
			to->push_back({r.name + std::string(r.vector > 1 ? components[k] : ""), r.type, number});
	}

	void lay_out()
	{
		std::vector<std::vector<saved_unit> *> all;
		for (stop_point &p : plan_.points)
			all.push_back(&p.saved);
		plan_.size.words = place_units(all);
		for (size_t k = 0; k < plan_.points.size(); k++) {
			const changes_since since(m_, f_, calls_, flow_, registers_, plan_.points[k].statement);
			for (stop_point &p : plan_.points)
				if (auto changes = since.at(p.statement))
					add_stale(plan_.points[k], set_of_point(k), *changes, &p);
		}
	}

	// What may have changed since @before is to be saved again at @p.
	static void add_stale(const stop_point &before, checkpoint_sets set, const changes_since::changes &changes,
			      stop_point *p)
	{
		const bool all = set == set_of_point(last_of_sets);
		for (saved_unit &u : p->saved) {
			bool is_there = std::any_of(before.saved.begin(), before.saved.end(),
						    [&](const saved_unit &other) { return u.is_same(other); });
			bool changed = std::any_of(u.values.begin(), u.values.end(),
						   [&](const saved_value &v) { return changes.registers[v.number]; });
			if (all || !is_there || changed)
				u.stale |= set;
		}
		p->before |= set;
		p->stale_shared |= all || changes.shared ? set : 0;
		p->stale_local |= all || changes.local ? set : 0;
	}

	const module &m_;
	const reach &calls_;
	const uint32_t kernel_;
	const function &f_;
	const control_flow flow_;
	const function_registers registers_;
	const liveness live_;
	const recomputation again_;
	// These tell of basic blocks: they have warp functions, barriers, barriers without a guard.
	std::vector<bool> warps_, barriers_, each_round_;
	// Each has blocks that run between the same barriers.
	std::vector<std::vector<bool>> intervals_;
	checkpoint_plan plan_;
};

} // namespace

checkpoint_report describe_checkpoint(const module &m, uint32_t kernel, const checkpoint_plan &plan)
{
	checkpoint_report r;
	const function &f = m.functions[kernel];
	r.kernel = plan.name;
	r.size = plan.size;
	r.loops = plan.loops;
	r.begins_only = plan.begins_only;
	r.unstopped = plan.unstopped;
	for (const stop_point &p : plan.points) {
		const statement &s = m.statements_of(f)[p.statement];
		const checkpoint_sets same = set_of_point(size_t(&p - plan.points.data()));
		r.points.push_back({m.position_of(s.text.begin), p.at_barrier, p.votes, p.live_bytes,
				    4 * p.words(never_saved), 4 * p.words(same)});
	}
	return r;
}

uint32_t stop_point::words(checkpoint_sets since) const
{
	uint32_t sum = 0;
	for (const saved_unit &u : saved)
		sum += u.stale & since ? u.words : 0;
	return sum;
}

uint32_t copied_unit(const variable &v)
{
	return v.alignment() % 4 == 0 && v.alignment() ? 4 : 1;
}

uint32_t copied_words(const variable &v)
{
	uint64_t unit = copied_unit(v);
	return uint32_t(v.bytes() / unit + v.bytes() % unit);
}

checkpoint_plan plan_checkpoint(const module &m, const reach &calls, uint32_t kernel)
{
	return kernel_planner(m, calls, kernel).run();
}

} // namespace het::ptx
