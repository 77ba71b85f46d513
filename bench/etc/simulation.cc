// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/simulation.h"

#include "etc/caches.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace etc
{

namespace
{

class simulation final : surroundings
{
      public:
	simulation(const program_trace &t, const configuration &c)
	    : t_(t), c_(c), memory_(c.of, t.bytes, c.capacity), bus_(c.of), caches_(c.of, memory_, bus_),
	      processors_(c.of, events_, *this), missed_(memory_.npages())
	{
		slices_ = c.how == mode::planned ? plan_of_slices(t, c.of, memory_.capacity(), c.order)
						 : plan_of_launches(t);
		oversubscribed_ = memory_.npages() > memory_.capacity();
		if (c.how == mode::planned)
			planned_.emplace(c.of, memory_, bus_, events_, slices_);
		else
			demand_.emplace(c.of, memory_, bus_, events_);
		progress_.resize(slices_.size());
		for (uint32_t s = 0; s < slices_.size(); s++) {
			progress_[s].waits = uint32_t(slices_[s].after.size());
			progress_[s].left = slices_[s].end - slices_[s].first;
			progress_[s].next = slices_[s].first;
			progress_[s].there = c.how != mode::planned;
			for (const uint32_t before : slices_[s].after)
				progress_[before].behind.push_back(s);
		}
	}

	result run()
	{
		for (uint32_t s = 0; s < slices_.size(); s++)
			if (progress_[s].waits == 0)
				may_begin(s, 0);
		events_.add(het::rt::regularity::sample_cycles, event::kind_t::sample);
		if (planned_)
			plan_ahead(0);
		while (ended_ < slices_.size()) {
			if (events_.empty())
				throw std::logic_error("the model has come to a stop in " + t_.name);
			const event e = events_.take();
			happen(e);
			settle(e.at);
			out_.most_pages = std::max(out_.most_pages, memory_.used());
			if (c_.check)
				memory_.check();
		}
		return finish();
	}

      private:
	struct progress {
		uint32_t waits = 0;           // for so many slices
		uint32_t left = 0, next = 0;  // blocks that have not ended, and the first that has not begun
		bool there = false;           // all its pages
		cycle from = 0;               // when it may begin
		std::vector<uint32_t> behind; // slices that wait for it
	};
	struct waiter {
		unsigned processor, slot;
		item what;
		uint32_t line;
	};

	void happen(const event &e)
	{
		switch (e.kind) {
		case event::kind_t::processor:
			return processors_.issue(e.number, e.at);
		case event::kind_t::batch:
			return demand_->batch(e.at);
		case event::kind_t::page_arrived:
			return arrived(e.number, e.at);
		case event::kind_t::page_left:
			if (demand_)
				return demand_->page_left(e.number, e.at);
			planned_->page_left(e.number);
			return plan_ahead(e.at);
		case event::kind_t::slice:
			begun_.push_back(e.number);
			in_place_ += slices_[e.number].in_place;
			// What is asked for is there from the first launch on. Processors that are stopped for good
			// must get no blocks; how many warps and blocks there are is known when they have them.
			if (c_.throttled != grain::processors)
				fill(e.at);
			if (c_.how == mode::demand && !asked_)
				use(c_.with, e.at);
			asked_ = true;
			return fill(e.at);
		case event::kind_t::throttle:
			return throttle_->look(e.at);
		case event::kind_t::sample:
			return end_sample(e.at);
		}
	}

	// --- slices and blocks

	void may_begin(uint32_t s, cycle t)
	{
		progress_[s].from = t + c_.of.launch_cycles;
		begin_if_ready(s, t);
	}

	void begin_if_ready(uint32_t s, cycle t)
	{
		if (progress_[s].waits == 0 && progress_[s].there)
			events_.add(std::max(t, progress_[s].from), event::kind_t::slice, s);
	}

	// Gives blocks of the slices that have begun to the processors, in turns.
	void fill(cycle t)
	{
		// A block that ends as it begins comes here again.
		if (filling_)
			return;
		filling_ = true;
		bool any = true;
		while (any && !begun_.empty()) {
			any = false;
			for (unsigned p = 0; p < c_.of.processors && !begun_.empty(); p++) {
				const uint32_t s = begun_.front();
				const launch &l = t_.launches[slices_[s].launch];
				if (!processors_.begin(p, l, progress_[s].next, s, t))
					continue;
				any = true;
				if (++progress_[s].next == slices_[s].end)
					begun_.pop_front();
			}
		}
		filling_ = false;
	}

	void block_ended(unsigned, uint32_t s, cycle t) override
	{
		if (--progress_[s].left == 0) {
			ended_++;
			in_place_ -= slices_[s].in_place;
			last_end_ = t;
			for (const uint32_t behind : progress_[s].behind)
				if (--progress_[behind].waits == 0)
					may_begin(behind, t);
			if (planned_) {
				planned_->ended(s);
				plan_ahead(t);
			}
		}
		fill(t);
	}

	// --- pages

	void plan_ahead(cycle t)
	{
		std::vector<uint32_t> there;
		planned_->advance(t, there);
		are_there(there, t);
	}

	void are_there(const std::vector<uint32_t> &slices, cycle t)
	{
		for (const uint32_t s : slices) {
			progress_[s].there = true;
			begin_if_ready(s, t);
		}
	}

	std::optional<cycle> access(unsigned processor, unsigned slot, const item &i, uint32_t line, cycle t) override
	{
		const uint32_t page = memory_.page_of(line);
		if (!memory_.is_present(page) && demand_) {
			if (missed_[page].empty())
				count_fault(t);
			missed_[page].push_back({processor, slot, i, line});
			if (throttle_)
				throttle_->faulted(processors_.unit_of(processor, slot), t);
			demand_->fault(page, t);
			return std::nullopt;
		}
		if (!memory_.is_present(page) && in_place_ == 0)
			throw std::logic_error("a page is used that the plan has not brought, in " + t_.name);
		return use_line(processor, i, line, t);
	}

	cycle use_line(unsigned processor, const item &i, uint32_t line, cycle t)
	{
		const cycle there = i.reads() ? caches_.load(processor, line, t) : t;
		if (i.writes())
			caches_.store(processor, line, t);
		return there;
	}

	void arrived(uint32_t page, cycle t)
	{
		if (planned_) {
			std::vector<uint32_t> there;
			planned_->page_arrived(page, there);
			are_there(there, t);
			return plan_ahead(t);
		}
		demand_->page_arrived(page);
		// Those who waited use it before it can leave again: so each fault is of use.
		std::vector<waiter> waiters = std::move(missed_[page]);
		missed_[page].clear();
		for (const waiter &w : waiters) {
			const unsigned unit = processors_.unit_of(w.processor, w.slot);
			processors_.served(w.processor, w.slot, t, use_line(w.processor, w.what, w.line, t));
			if (throttle_)
				throttle_->served(unit, t);
		}
		demand_->go_on(t);
	}

	void count_fault(cycle t)
	{
		if (c_.rate_window == 0)
			return;
		const size_t window = t / c_.rate_window;
		if (out_.fault_rate.size() <= window)
			out_.fault_rate.resize(window + 1);
		out_.fault_rate[window]++;
	}

	// --- techniques

	void accessed(std::span<const uint32_t> lines) override
	{
		const unsigned pages = pages_of(lines, c_.of.lines_of_page());
		out_.items++;
		all_lines_ += lines.size();
		all_pages_ += pages;
		if (sampling_) {
			sample_.accessed(unsigned(lines.size()));
			sample_pages_ += pages;
		}
	}

	void end_sample(cycle t)
	{
		if (!sample_.is_known())
			return events_.add(t + het::rt::regularity::sample_cycles, event::kind_t::sample);
		keep_sample();
		if (c_.how == mode::automatic)
			use(het::rt::techniques_of(sample_.is_regular(), c_.shared), t);
	}

	void keep_sample()
	{
		sampling_ = false;
		out_.sample_lines = sample_.lines_an_access();
		out_.sample_pages = out_.items ? double(sample_pages_) / double(out_.items) : 0;
		out_.regular = sample_.is_regular();
	}

	void use(const het::rt::techniques &with, cycle t)
	{
		if (with.ahead && oversubscribed_)
			demand_->evict_ahead();
		// Who asks for compression gets it also where all fits.
		if (with.compressed && (oversubscribed_ || c_.how == mode::demand)) {
			caches_.compress(uint64_t{memory_.used()} * c_.of.page_bytes, t);
			memory_.set_capacity(uint64_t(double(c_.capacity) * c_.ratio));
		}
		if (with.throttled && oversubscribed_) {
			throttle_.emplace(processors_.units(c_.throttled),
					  het::rt::throttle::settings{c_.of.detection_cycles, c_.of.execution_cycles,
								      c_.down, c_.up, 1, c_.adapts},
					  t);
			processors_.throttle_by(&*throttle_, c_.throttled);
			throttled_since_ = throttled_at_ = t;
			evictions_seen_ = demand_->counts().evictions;
		}
	}

	// What happened may have changed what runs, and when its phase ends.
	void settle(cycle t)
	{
		if (!throttle_)
			return;
		if (demand_->counts().evictions > evictions_seen_)
			throttle_->evicted();
		evictions_seen_ = demand_->counts().evictions;
		running_ += double(t - throttled_at_) * ran_;
		throttled_at_ = t;
		ran_ = throttle_->running();
		if (changes_seen_ != throttle_->changes()) {
			changes_seen_ = throttle_->changes();
			processors_.wake_all(t);
			fill(t);
		}
		if (throttle_->ends() != phase_end_ && throttle_->ends() != het::rt::throttle::never) {
			phase_end_ = throttle_->ends();
			events_.add(std::max(t, phase_end_), event::kind_t::throttle);
		}
	}

	result finish()
	{
		out_.cycles = last_end_;
		if (sampling_)
			keep_sample();
		const double items = std::max<double>(1, double(out_.items));
		out_.lines = double(all_lines_) / items;
		out_.pages = double(all_pages_) / items;
		if (demand_)
			out_.demand = demand_->counts();
		if (planned_)
			out_.planned = planned_->counts();
		out_.bytes_in = bus_.carried(bus::to_device);
		out_.bytes_out = bus_.carried(bus::to_host);
		out_.remote_lines = caches_.remote();
		out_.remote_written = caches_.remote_written();
		out_.walks = caches_.pages().walks();
		if (throttle_) {
			settle(std::max(last_end_, throttled_at_));
			out_.running = running_ / std::max<double>(1, double(throttled_at_ - throttled_since_));
		}
		return std::move(out_);
	}

	const program_trace &t_;
	const configuration c_;
	result out_;
	event_queue events_;
	device_memory memory_;
	bus bus_;
	caches caches_;
	processors processors_;
	std::optional<demand_pager> demand_;
	std::optional<planned_pager> planned_;
	std::vector<slice> slices_;
	std::vector<progress> progress_;
	std::deque<uint32_t> begun_; // slices with blocks that have not begun
	bool filling_ = false;
	unsigned in_place_ = 0;                   // slices that have begun and use pages that are not there
	std::vector<std::vector<waiter>> missed_; // by page
	size_t ended_ = 0;
	cycle last_end_ = 0;
	bool oversubscribed_ = false, asked_ = false;

	het::rt::regularity sample_;
	bool sampling_ = true;
	uint64_t sample_pages_ = 0, all_lines_ = 0, all_pages_ = 0;

	std::optional<het::rt::throttle> throttle_;
	unsigned ran_ = 0;
	cycle throttled_at_ = 0, throttled_since_ = 0, phase_end_ = 0;
	uint64_t evictions_seen_ = 0, changes_seen_ = 0;
	double running_ = 0;
};

} // namespace

result simulate(const program_trace &t, const configuration &c)
{
	return simulation(t, c).run();
}

} // namespace etc
