// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a launch: blocks and warps take turns.
#include "simt/run.h"

#include "simt/runner.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr uint64_t lockstep_turn = 1 << 16; // how many instructions of a warp run before another may go on
constexpr unsigned independent_turn = 24;
constexpr uint32_t most_threads = 1024, most_shared = 1 << 20;

std::string triple(uint32_t x, uint32_t y, uint32_t z)
{
	return "(" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + ")";
}

} // namespace

runner::runner(const program &p, const launch &l, const options &o)
    : p_(p), l_(l), o_(o), random_(o.seed), observer_(o), left_(o.most_instructions), shared_(p.shared_of(*l.kernel)),
      shared_addresses_(p.shared_addresses(shared_)),
      shared_bytes_(l.shared_bytes ? shared_.dynamic_at + l.shared_bytes : shared_.bytes)
{
	watched_ = o.check_defined || o.check_races || o.statistics || o.trace;
	for (const code &c : p.codes()) {
		ops_.emplace_back(c.ops.size());
		caches_.emplace_back(c.ops.size());
	}
	c_.mem = &p.mem();
	c_.prog = &p;
	c_.base[uint32_t(place::constants)] = const_cast<uint64_t *>(p.constants());
	c_.base[uint32_t(place::shared_addresses)] = shared_addresses_.data();
	c_.tracks = o.check_defined;
}

// --- faults and findings -----------------------------------------------------------

fault runner::describe(const uop &u, const frame &f, const warp &w, unsigned lane, std::string what) const
{
	const module &m = *f.function->source;
	const auto &s = m.statements[u.statement];
	const uint64_t *tid = w.special_values.data();
	auto of = [&](special which) { return uint32_t(tid[which * warp_size + lane]); };
	what += "; thread " + triple(of(tid_x), of(tid_y), of(tid_z)) + " of block " +
		triple(w.of->at.x, w.of->at.y, w.of->at.z) + " in " + std::string(f.function->name);
	return m.fault_at(s.text, std::move(what));
}

void runner::stop(const uop &u, const frame &f, const warp &w, unsigned lane, std::string what)
{
	if (!stopped())
		out_.error = describe(u, f, w, lane, std::move(what));
}

void runner::find(finding::kind_t k, const uop &u, const frame &f, const warp &w, unsigned lane, std::string what)
{
	auto [at, added] = found_.try_emplace({&u, int(k)}, out_.findings.size());
	if (added)
		out_.findings.push_back({k, describe(u, f, w, lane, std::move(what))});
	else
		out_.findings[at->second].times++;
}

// --- blocks and warps ----------------------------------------------------------------

bool runner::check_launch()
{
	auto refuse = [&](std::string what) {
		const auto &m = *l_.kernel->source;
		out_.error = m.fault_at(l_.kernel->head->name, std::move(what));
		return false;
	};
	for (auto name : {".reqnctapercluster", ".explicitcluster"})
		if (!l_.kernel->source->find_directive(*l_.kernel->head, name).empty())
			return refuse("the interpreter does not know clusters, which " + std::string(name) +
				      " asks for");
	uint32_t formal = 0;
	for (const auto &a : l_.kernel->parameters)
		formal = std::max(formal, a.offset + a.bytes);
	if (l_.parameters.size() != formal)
		return refuse("the kernel's parameters have " + std::to_string(formal) + " bytes, not " +
			      std::to_string(l_.parameters.size()));
	if (l_.block.count() == 0 || l_.grid.count() == 0 || l_.block.count() > most_threads)
		return refuse("a block of " + std::to_string(l_.block.count()) + " threads");
	if (shared_bytes_ > most_shared)
		return refuse("this much shared memory");
	return true;
}

void runner::begin(block &b, uint64_t number)
{
	b.number = number;
	b.at = {uint32_t(number % l_.grid.x), uint32_t(number / l_.grid.x % l_.grid.y),
		uint32_t(number / l_.grid.x / l_.grid.y)};
	b.busy = true;
	b.epoch = 0;
	b.barriers = {};
	b.shared.assign(shared_bytes_, uint8_t(o_.rubbish));
	if (o_.check_defined)
		b.shared_defined.assign(b.shared.size(), 0);
	observer_.begin(b);
	b.warps.resize((l_.block.count() + warp_size - 1) / warp_size);
	for (uint32_t i = 0; i < b.warps.size(); i++) {
		b.warps[i].of = &b;
		b.warps[i].index = i;
		begin(b.warps[i]);
	}
}

void runner::begin(warp &w)
{
	auto fill = [&](special s, uint64_t v) { std::fill_n(&w.special_values[s * warp_size], warp_size, v); };
	const block &b = *w.of;
	// The rest of it stays as it is from block to block.
	fill(ctaid_x, b.at.x);
	fill(ctaid_y, b.at.y);
	fill(ctaid_z, b.at.z);
	uint32_t first = w.index * warp_size, threads = uint32_t(l_.block.count()) - first;
	w.live = threads >= warp_size ? all_lanes : (lanes{1} << threads) - 1;
	if (!w.root) {
		fill(ntid_x, l_.block.x);
		fill(ntid_y, l_.block.y);
		fill(ntid_z, l_.block.z);
		fill(nctaid_x, l_.grid.x);
		fill(nctaid_y, l_.grid.y);
		fill(nctaid_z, l_.grid.z);
		fill(warpid, w.index);
		fill(nwarpid, b.warps.size());
		fill(dynamic_smem_size, l_.shared_bytes);
		fill(total_smem_size, shared_bytes_);
		fill(zero, 0);
		fill(one, 1);
		for (uint32_t l = 0; l < warp_size; l++) {
			auto set = [&](special s, uint64_t v) { w.special_values[s * warp_size + l] = v; };
			uint32_t t = first + l;
			set(tid_x, t % l_.block.x);
			set(tid_y, t / l_.block.x % l_.block.y);
			set(tid_z, t / l_.block.x / l_.block.y);
			set(laneid, l);
			set(lanemask_eq, lanes{1} << l);
			set(lanemask_lt, (lanes{1} << l) - 1);
			set(lanemask_le, (lanes{2} << l) - 1);
			set(lanemask_ge, ~((lanes{1} << l) - 1));
			set(lanemask_gt, ~((lanes{2} << l) - 1));
		}
	}
	w.root = new_frame(w, *l_.kernel);
	w.root->alive = w.live;
	std::copy(parameters_.begin(), parameters_.end(), w.root->params.begin());
	if (o_.rubbish)
		std::fill(w.local.begin(), w.local.end(), uint8_t(o_.rubbish));
	if (o_.check_defined) {
		std::fill(w.root->params_defined.begin(), w.root->params_defined.end(), 1);
		std::fill(w.local_defined.begin(), w.local_defined.end(), 0);
	}
	w.epoch = 0;
	w.idle = 0;
	w.waiting.clear();
	w.ready.assign(1, {0, w.live, w.root, nullptr, fragment::ready, 0});
}

// Returns false once nothing of the block can run. A warp that could not run while the others did for a whole turn does
// not wait for them any more than for its own lanes: the others may be in a loop that ends only when it goes on.
bool runner::advance_lockstep(block &b)
{
	constexpr uint32_t patience = 2;
	bool ran = false;
	for (warp &w : b.warps) {
		w.idle = w.ready.empty() ? w.idle + 1 : 0;
		if (w.idle >= patience)
			let_go(w);
		uint64_t turn = left_ > lockstep_turn ? left_ - lockstep_turn : 0;
		while (!w.ready.empty() && left_ > turn && !stopped()) {
			fragment f = w.ready.back();
			w.ready.pop_back();
			c_.current = &w;
			execute(w, f, lockstep_turn);
			ran = true;
		}
		if (stopped() || !left_)
			return true;
	}
	return ran || let_go(b);
}

// Returns any fragment of the warp: perhaps together with others that are at the same place, perhaps only a part of it.
fragment runner::take_at_random(warp &w)
{
	size_t i = random_() % w.ready.size();
	fragment f = w.ready[i];
	w.ready.erase(w.ready.begin() + long(i));
	uint64_t dice = random_();
	if (dice & 1) {
		for (size_t k = 0; k < w.ready.size();) {
			bool same = w.ready[k].pc == f.pc && w.ready[k].in == f.in;
			if (same) {
				f.mask |= w.ready[k].mask;
				w.ready.erase(w.ready.begin() + long(k));
			} else {
				k++;
			}
		}
	} else if (dice & 2) {
		lanes some = f.mask & lanes(random_());
		if (some && some != f.mask) {
			fragment rest = f;
			rest.mask &= ~some;
			f.mask = some;
			w.ready.push_back(rest);
		}
	}
	return f;
}

bool runner::advance_independent(block &b)
{
	ready_.clear();
	for (warp &w : b.warps)
		if (!w.ready.empty())
			ready_.push_back(&w);
	if (ready_.empty())
		return false;
	warp &w = *ready_[random_() % ready_.size()];
	c_.current = &w;
	c_.first_lane = uint32_t(random_() % warp_size);
	// The two numbers are drawn apart, or the compiler would choose which comes first: a seed stands for one order.
	auto turn = 1 + random_() % independent_turn;
	execute(w, take_at_random(w), turn);
	return true;
}

bool runner::advance(block &b)
{
	return o_.independent ? advance_independent(b) : advance_lockstep(b);
}

// Reports one of those that wait, since everything does.
void runner::fail_stuck(block &b)
{
	for (warp &w : b.warps) {
		if (w.waiting.empty())
			continue;
		const fragment &f = w.waiting.front();
		unsigned lane = unsigned(std::countr_zero(f.mask));
		auto what = f.state == fragment::at_barrier ? "waits at barrier " + std::to_string(f.barrier)
							    : std::string("waits for lanes of its mask");
		stop(f.in->function->ops[f.pc], *f.in, w, lane, "deadlock: " + what + " for ever");
		return;
	}
}

outcome runner::run()
{
	if (!check_launch())
		return std::move(out_);
	const code &kernel = *l_.kernel;
	parameters_.resize(size_t{kernel.param_bytes} * warp_size);
	for (unsigned l = 0; l < warp_size; l++)
		std::copy(l_.parameters.begin(), l_.parameters.end(),
			  parameters_.begin() + long(l * kernel.param_bytes));
	uint64_t next = 0, blocks = l_.grid.count();
	blocks_.resize(std::min<uint64_t>(std::max(o_.resident_blocks, 1u), blocks));
	for (block &b : blocks_)
		begin(b, next++);
	for (uint64_t busy = blocks_.size(); busy && !stopped();) {
		for (block &b : blocks_) {
			if (!b.busy)
				continue;
			bool ran = advance(b);
			bool done = std::all_of(b.warps.begin(), b.warps.end(), [](const warp &w) { return w.done(); });
			if (stopped())
				break;
			if (!left_) {
				out_.error = kernel.source->fault_at(kernel.head->name,
								     "too many instructions; does it end?");
				break;
			}
			if (done && next < blocks)
				begin(b, next++);
			else if (done)
				busy--, b.busy = false;
			else if (!ran)
				fail_stuck(b);
			if (stopped())
				break;
		}
	}
	collect();
	return std::move(out_);
}

void runner::collect()
{
	auto &c = out_.counts;
	const auto &accesses = observer_.accesses();
	for (const code &function : p_.codes()) {
		uint32_t last = no_index;
		for (uint32_t pc = 0; pc < function.ops.size(); pc++) {
			const uop &u = function.ops[pc];
			const op_counts &n = ops_[function.number][pc];
			// Operations that prepare an address are not instructions, nor is the return at the end of a
			// body.
			bool own = pc + 1 < function.ops.size() &&
				   (pc + 2 >= function.ops.size() || function.ops[pc + 1].statement != u.statement);
			if (!own || n.warps == 0 || u.statement == last)
				continue;
			last = u.statement;
			c.warp_instructions += n.warps;
			c.thread_instructions += n.threads;
			bool is_branch = u.action == action::branch || u.action == action::indexed_branch;
			c.branches += is_branch ? n.warps : 0;
			c.divergent_branches += n.divergent;
			if (!o_.statistics)
				continue;
			site_counts s{function.number, u.statement, n.warps, n.threads, n.divergent, 0, 0, 0, 0};
			if (auto found = accesses.find({function.number, pc}); found != accesses.end()) {
				s.lines = found->second.lines;
				s.pages = found->second.pages;
				s.shared = found->second.shared;
				s.passes = found->second.passes;
			}
			c.sites.push_back(s);
		}
	}
	c.written_pages = observer_.written_pages;
	c.read_pages = observer_.read_pages;
}

outcome run(const program &p, const launch &l, const options &o)
{
	return runner(p, l, o).run();
}

} // namespace het::ptx::simt
