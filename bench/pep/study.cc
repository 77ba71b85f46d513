// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/study.h"

#include <stdexcept>

namespace pep
{

namespace
{

constexpr double limits[] = {5, 10, 15}, all_takes[] = {5, 15, 25, 35}, all_predicted[] = {20, 30};

// One block runs in each place, and nothing is stopped.
class one_each final : public director
{
      public:
	bool ended(place_of_block, cycle) override { return false; }
	void look(place_of_block, cycle) override {}
	uint64_t stopped(place_of_block, cycle) override { return 0; }
	void saved(place_of_block, cycle) override {}
};

// Fills the cache with what blocks have left there that ran before.
void warm(gpu &g, const machine &m)
{
	one_each first;
	const uint64_t lines = (uint64_t{m.l2_kb} << 10) / line_bytes;
	while (g.now() < m.cycles_of(m.warm_us) && g.lines_moved() < lines) {
		g.run(never, first);
		g.begin_all();
	}
}

// Blocks follow each other, and nothing is stopped. It notes how long the first one of each place took.
class undisturbed final : public director
{
      public:
	explicit undisturbed(const gpu &g) : g_(g), seen_(size_t{g.processors()} * g.slots()) {}

	bool ended(place_of_block at, cycle t) override
	{
		if (seen_[size_t{at.processor} * g_.slots() + at.slot])
			return true;
		seen_[size_t{at.processor} * g_.slots() + at.slot] = true;
		cycles_ += double(t - g_.at(at).begun);
		ends_++;
		return true;
	}
	void look(place_of_block, cycle) override {}
	uint64_t stopped(place_of_block, cycle) override { return 0; }
	void saved(place_of_block, cycle) override {}

	bool all_have_ended() const { return ends_ == seen_.size(); }
	double mean_cycles() const { return cycles_ / double(ends_); }

      private:
	const gpu &g_;
	std::vector<bool> seen_;
	size_t ends_ = 0;
	double cycles_ = 0;
};

// How it stood at some times, evenly apart: so that it can be had again at any time without all that was before.
class album
{
      public:
	void look(const gpu &g)
	{
		if (g.now() < next_)
			return;
		next_ = g.now() + apart_;
		pictures_.push_back(g);
		if (pictures_.size() < most)
			return;
		for (size_t i = 1; 2 * i < pictures_.size(); i++)
			pictures_[i] = std::move(pictures_[2 * i]);
		pictures_.erase(pictures_.begin() + most / 2, pictures_.end());
		apart_ *= 2;
	}
	gpu at(cycle t) const
	{
		const gpu *last = &pictures_.front();
		for (const gpu &g : pictures_)
			last = g.now() <= t ? &g : last;
		gpu made = *last;
		undisturbed all(made);
		made.run(t, all);
		return made;
	}

      private:
	static constexpr size_t most = 32;
	std::vector<gpu> pictures_;
	cycle next_ = 0, apart_ = 64;
};

struct calls {
	std::vector<std::pair<double, gpu>> at; // the fraction, and the state
	known_kernel known;
};

// Runs the first blocks to their ends, and returns how it stood after such parts of the time that they took in the
// mean.
calls run_undisturbed(const machine &m, const kernel_trace &k, unsigned blocks, std::span<const double> at)
{
	gpu g(m, k, blocks);
	warm(g, m);
	undisturbed all(g);
	album kept;
	const cycle begun = g.now();
	while (!all.all_have_ended()) {
		kept.look(g);
		g.run(g.now() + std::max<cycle>(16, (g.now() - begun) / 256), all);
	}
	calls made;
	made.known = {all.mean_cycles(), k.mean_steps()};
	for (const double fraction : at)
		made.at.emplace_back(fraction, kept.at(begun + cycle(fraction * made.known.block_cycles)));
	return made;
}

std::vector<run_key> keys_of(bool quick)
{
	std::vector<run_key> all;
	for (const double f : fractions) {
		if (quick && f != fractions[1])
			continue;
		for (const technique t : {technique::chimera, technique::chimera_dirty})
			for (const double limit : limits)
				if (!quick || limit == limits[1])
					all.push_back({f, t, limit, 0, 0});
		for (const technique t : {technique::pep, technique::pep_in_place})
			for (const double takes : all_takes)
				for (const double predicted : all_predicted)
					if (!quick || (takes == all_takes[1] && predicted == all_predicted[0]))
						all.push_back({f, t, 0, takes, predicted});
	}
	return all;
}

double dirty_part(const gpu &g, const kernel_trace &k)
{
	double dirty = 0;
	for (unsigned p = 0; p < g.processors(); p++)
		for (unsigned s = 0; s < g.slots(); s++)
			dirty += double(g.dirty_registers({p, s}));
	return dirty / (double(g.processors()) * g.slots() * k.warps() * std::max(1u, k.registers));
}

} // namespace

double measured_kernel::mean(technique t, const std::function<double(const outcome &)> &of_run) const
{
	size_t n = 0;
	for (const auto &[key, o] : runs)
		n += key.by == t;
	return n ? sum(t, of_run) / double(n) : 0;
}

double measured_kernel::sum(technique t, const std::function<double(const outcome &)> &of_run) const
{
	double all = 0;
	for (const auto &[key, o] : runs)
		all += key.by == t ? of_run(o) : 0;
	return all;
}

measured_kernel measure(const program &p, const study_options &o)
{
	const kernel_trace k = p.record(o.quick);
	measured_kernel made;
	made.of = &p;
	made.registers = k.registers;
	made.threads = k.threads;
	made.context_kb = double(k.context_bytes()) / 1024;
	made.fit = blocks_that_fit(o.of, k);
	made.blocks = o.fills ? made.fit : std::min(made.fit, p.thesis.blocks);
	made.steps = k.mean_steps();
	made.is_idempotent = k.is_idempotent;
	const calls c = run_undisturbed(o.of, k, made.blocks, fractions);
	made.block_us = c.known.block_cycles / o.of.clock_mhz;
	for (const auto &[fraction, g] : c.at)
		made.dirty[fraction] = dirty_part(g, k);
	for (const run_key &key : keys_of(o.quick))
		for (const auto &[fraction, g] : c.at)
			if (fraction == key.fraction)
				made.runs[key] = preempt(g, o.of, k, c.known,
							 {.by = key.by,
							  .limit = key.limit,
							  .takes = key.takes,
							  .predicted = key.predicted,
							  .may_flush = o.may_flush});
	return made;
}

std::vector<split_outcome> measure_splits(const program &p, const study_options &o, unsigned blocks)
{
	const kernel_trace k = p.record(o.quick);
	const double half[] = {0.5};
	blocks = std::min(blocks, blocks_that_fit(o.of, k));
	const calls c = run_undisturbed(o.of, k, blocks, half);
	std::vector<split_outcome> all;
	for (unsigned saved = 0; saved <= blocks; saved++)
		all.push_back({saved, preempt(c.at.front().second, o.of, k, c.known, {.saved_blocks = int(saved)})});
	return all;
}

} // namespace pep
