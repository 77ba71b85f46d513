// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/preemption.h"

#include <algorithm>
#include <stdexcept>

namespace pep
{

const char *name_of(technique t)
{
	constexpr const char *names[techniques] = {"Chimera", "Chimera + dirty", "PEP", "PEP in-place"};
	return names[unsigned(t)];
}

namespace
{

class preemption final : public director
{
      public:
	preemption(const gpu &at_call, const machine &m, const kernel_trace &k, const known_kernel &known,
		   const request &r)
	    : g_(at_call), m_(m), k_(k), known_(known), r_(r), called_(g_.now()),
	      there_(called_ + m.cycles_of(r.takes)), places_(size_t{g_.processors()} * g_.slots())
	{
	}

	outcome run()
	{
		if (is_pep())
			announce();
		g_.run(there_, *this);
		is_there_ = true;
		for (unsigned p = 0; p < g_.processors(); p++)
			is_pep() ? request_pep(p) : request_chimera(p);
		g_.run(never, *this);
		return result();
	}

	// --- what the gpu tells ------------------------------------------------------------------

	bool ended(place_of_block at, cycle t) override
	{
		place &p = of(at);
		if (is_there_) {
			leave(at, t, false);
			return false;
		}
		p = {};
		p.is_successor = true;
		return true;
	}

	void look(place_of_block at, cycle) override
	{
		if (is_pep() && !is_there_ && of(at).is_successor)
			look_ahead(at, saving_time(at.processor, true));
	}

	uint64_t stopped(place_of_block at, cycle) override
	{
		place &p = of(at);
		if (!is_there_ || p.is_base) {
			p.is_base = true;
			return p.base_bytes = g_.dirty_bytes(at, false);
		}
		uint64_t bytes = r_.by == technique::chimera ? k_.context_bytes() : g_.dirty_bytes(at, p.had_base);
		p.delta_bytes = bytes;
		if (r_.by == technique::pep_in_place) {
			p.in_place = std::min(bytes, room_of_block());
			bytes -= p.in_place;
		}
		return bytes;
	}

	void saved(place_of_block at, cycle t) override
	{
		place &p = of(at);
		const cycle stood = t - g_.at(at).stopped;
		if (p.is_base && !is_there_) {
			p.is_base = false;
			p.had_base = true;
			p.stood_for_base += stood;
			g_.resume(at);
			return;
		}
		// A base checkpoint that was under way when the launch came has all there is.
		if (p.is_base)
			p.had_base = true;
		p.stood = stood;
		g_.leave(at);
		leave(at, t, true);
	}

      private:
	struct place {
		bool is_successor = false; // its block began after the call
		bool is_base = false;      // what is being saved is a base checkpoint
		bool had_base = false;
		bool has_left = false, was_saved = false;
		uint64_t base_bytes = 0, delta_bytes = 0, in_place = 0;
		cycle left = 0, stood = 0, stood_for_base = 0;
	};

	bool is_pep() const { return r_.by == technique::pep || r_.by == technique::pep_in_place; }
	place &of(place_of_block at) { return places_[size_t{at.processor} * g_.slots() + at.slot]; }
	template <class F> void for_running(unsigned processor, F f)
	{
		for (unsigned s = 0; s < g_.slots(); s++)
			if (g_.at({processor, s}).state == gpu::state::running)
				f(place_of_block{processor, s});
	}

	// What no block has of a processor's registers and shared memory, for each of those that are saved.
	uint64_t room_of_block() const
	{
		const uint64_t used = k_.context_bytes() * g_.slots();
		return used < m_.on_chip_bytes() ? (m_.on_chip_bytes() - used) / g_.slots() : 0;
	}
	// How long it takes to save all blocks of the processor that run, or only what they have written since.
	double saving_time(unsigned processor, bool base)
	{
		double bytes = 0;
		for_running(processor, [&](place_of_block at) {
			uint64_t n = g_.dirty_bytes(at, !base && of(at).had_base);
			if (!base && r_.by == technique::pep_in_place)
				n -= std::min(n, room_of_block());
			bytes += double(n);
		});
		return double(m_.cycles_of(m_.trap_us)) + bytes / m_.share();
	}
	double left_of(place_of_block at) const { return std::max(0.0, known_.block_cycles - double(g_.ran(at))); }

	// --- PEP ---------------------------------------------------------------------------------

	void announce()
	{
		for (unsigned p = 0; p < g_.processors(); p++) {
			const double saving = saving_time(p, true);
			for_running(p, [&](place_of_block at) { look_ahead(at, saving); });
		}
	}

	void look_ahead(place_of_block at, double saving)
	{
		const double lead = double(called_ + m_.cycles_of(r_.predicted)) - double(g_.now());
		if (choose_when_announced({left_of(at), lead, saving}) == when_announced::drain)
			return;
		of(at).is_base = true;
		g_.stop(at);
	}

	void request_pep(unsigned processor)
	{
		const double saving = saving_time(processor, false);
		double drain = 0;
		bool saves = false;
		std::vector<place_of_block> chosen;
		for_running(processor, [&](place_of_block at) {
			if (choose_when_there(left_of(at), saving) == when_there::drain)
				drain = std::max(drain, left_of(at));
			else
				chosen.push_back(at);
		});
		for (const place_of_block at : chosen) {
			g_.stop(at);
			saves = true;
		}
		expect(saves ? saving : 0, drain);
	}

	// --- Chimera -----------------------------------------------------------------------------

	void request_chimera(unsigned processor)
	{
		double most = 0, save = 0, drain = 0;
		for_running(processor, [&](place_of_block at) { most = std::max(most, double(g_.at(at).steps)); });
		int saved = 0;
		std::vector<std::pair<place_of_block, way_out>> chosen;
		for_running(processor, [&](place_of_block at) {
			const uint64_t bytes =
				r_.by == technique::chimera ? k_.context_bytes() : g_.dirty_bytes(at, false);
			const double done = double(g_.at(at).steps), ran = double(std::max<cycle>(1, g_.ran(at)));
			const chimera_block b = {done,
						 known_.steps,
						 most,
						 done / ran,
						 double(bytes) / m_.share(),
						 r_.may_flush && k_.is_idempotent};
			chimera_choice c = choose_chimera(b, double(m_.cycles_of(r_.limit)));
			if (r_.saved_blocks >= 0) {
				c.way = saved++ < r_.saved_blocks ? way_out::save : way_out::drain;
				c.cycles = c.way == way_out::save
						   ? b.switching
						   : std::max(0.0, b.mean - b.done) / std::max(1e-9, b.rate);
			}
			(c.way == way_out::drain ? drain : save) =
				std::max(c.way == way_out::drain ? drain : save, c.cycles);
			chosen.emplace_back(at, c.way);
		});
		for (const auto &[at, way] : chosen) {
			if (way == way_out::save)
				g_.stop(at);
			if (way != way_out::flush)
				continue;
			g_.flush(at);
			leave(at, g_.now(), false);
			out_.flushed_blocks++;
		}
		expect(save, drain);
	}

	void expect(double save, double drain)
	{
		if (save > 0) {
			out_.predicted_save += save;
			expected_saves_++;
		}
		if (drain > 0) {
			out_.predicted_drain += drain;
			expected_drains_++;
		}
	}

	// --- what came of it ---------------------------------------------------------------------

	void leave(place_of_block at, cycle t, bool was_saved)
	{
		place &p = of(at);
		p.has_left = true;
		p.was_saved = was_saved;
		p.left = t;
		out_.leaves[unsigned(leaving_of(was_saved, p.had_base, p.is_successor))]++;
		(was_saved ? out_.saved_blocks : out_.drained_blocks)++;
		if (!was_saved)
			return;
		out_.base_bytes += p.base_bytes;
		out_.delta_bytes += p.delta_bytes;
		out_.in_place_bytes += p.in_place;
		out_.stood += double(p.stood + p.stood_for_base);
		out_.stood_for_base += double(p.stood_for_base);
	}

	outcome result()
	{
		unsigned with_saves = 0, with_drains = 0;
		for (unsigned p = 0; p < g_.processors(); p++) {
			cycle last = there_, last_saved = 0, last_drained = 0;
			for (unsigned s = 0; s < g_.slots(); s++) {
				const place &q = of({p, s});
				if (!q.has_left)
					throw std::logic_error(k_.name + ": a block has not left");
				last = std::max(last, q.left);
				cycle &kind = q.was_saved ? last_saved : last_drained;
				kind = std::max(kind, q.left);
			}
			out_.latency += m_.us_of(last - there_) / g_.processors();
			if (last_saved) {
				out_.save_latency += m_.us_of(last_saved - there_);
				with_saves++;
			}
			if (last_drained) {
				out_.drain_latency += m_.us_of(last_drained - there_);
				with_drains++;
			}
		}
		out_.save_latency /= std::max(1u, with_saves);
		out_.drain_latency /= std::max(1u, with_drains);
		const double saved = double(std::max<uint64_t>(1, out_.saved_blocks));
		out_.stood /= saved * m_.clock_mhz;
		out_.stood_for_base /= saved * m_.clock_mhz;
		out_.predicted_save /= std::max(1u, expected_saves_) * m_.clock_mhz;
		out_.predicted_drain /= std::max(1u, expected_drains_) * m_.clock_mhz;
		return out_;
	}

	gpu g_;
	const machine &m_;
	const kernel_trace &k_;
	const known_kernel known_;
	const request r_;
	const cycle called_, there_;
	std::vector<place> places_;
	bool is_there_ = false;
	unsigned expected_saves_ = 0, expected_drains_ = 0;
	outcome out_;
};

} // namespace

outcome preempt(const gpu &at_call, const machine &m, const kernel_trace &k, const known_kernel &known,
		const request &r)
{
	return preemption(at_call, m, k, known, r).run();
}

} // namespace pep
