// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/figures.h"

#include "common/format.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace pep
{

using bench::figure;
using bench::format;

namespace
{

constexpr technique all_techniques[] = {technique::chimera, technique::chimera_dirty, technique::pep,
					technique::pep_in_place};
constexpr double kb = 1024;

std::vector<std::string> names(std::span<const technique> all)
{
	std::vector<std::string> made;
	for (const technique t : all)
		made.push_back(name_of(t));
	return made;
}

// Kernels of which there is nothing to say.
constexpr double none = std::numeric_limits<double>::quiet_NaN();

// The mean of those that there are.
double mean_of(std::vector<double> values)
{
	std::erase_if(values, [](double v) { return std::isnan(v); });
	return values.empty() ? none : std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

std::string change(double ratio)
{
	return format("%+.1f %%", 100 * (ratio - 1));
}

double saved_blocks(const outcome &o)
{
	return double(o.saved_blocks);
}

// All bytes of a run that went to memory.
double moved(const outcome &o)
{
	return double(o.base_bytes + o.delta_bytes - o.in_place_bytes);
}

class drawer
{
      public:
	explicit drawer(const all_measured &m) : m_(m) {}

	drawn all()
	{
		table();
		splits();
		dirty();
		shares();
		expectations();
		latencies();
		by_length();
		bytes();
		deltas();
		in_place();
		twice();
		overhead();
		return std::move(out_);
	}

      private:
	void say(const char *id, const char *what, const char *thesis, std::string here)
	{
		out_.statements.push_back({id, what, thesis, std::move(here)});
	}

	// By kernel, and below that the means of those that save and of all.
	template <class F>
	figure &by_kernel(const char *id, const char *title, const char *what, std::vector<std::string> bars, F value,
			  bool saving_ones)
	{
		figure &f = out_.figures.emplace_back(figure{id, title, what, std::move(bars), {}, false});
		std::vector<std::vector<double>> of(f.bars.size()), of_saving(f.bars.size());
		for (const measured_kernel &k : m_.kernels) {
			if (saving_ones && !k.of->saves())
				continue;
			figure::group &g = f.groups.emplace_back(figure::group{k.of->name, {}});
			for (unsigned b = 0; b < f.bars.size(); b++) {
				g.values.push_back(value(k, b));
				of[b].push_back(g.values.back());
				if (k.of->saves())
					of_saving[b].push_back(g.values.back());
			}
		}
		figure::group saving = {"mean, saving", {}}, mean = {"mean", {}};
		for (unsigned b = 0; b < f.bars.size(); b++) {
			saving.values.push_back(mean_of(of_saving[b]));
			mean.values.push_back(mean_of(of[b]));
		}
		f.groups.push_back(saving);
		if (!saving_ones)
			f.groups.push_back(mean);
		return f;
	}
	static const std::vector<double> &last(const figure &f) { return f.groups.back().values; }
	static const std::vector<double> &saving(const figure &f)
	{
		return f.groups[f.groups.size() - (f.groups.back().name == "mean" ? 2 : 1)].values;
	}

	void table()
	{
		figure &f = out_.figures.emplace_back(figure{
			"t4.1",
			"Table 4.1: the kernels, ours and the thesis'",
			"KB, blocks, us",
			{"KB a block", "thesis", "blocks an SM", "thesis ", "block", "thesis  ", "switch", "thesis   "},
			{},
			false});
		for (const measured_kernel &k : m_.kernels)
			f.groups.push_back(
				{k.of->name,
				 {k.context_kb, k.of->thesis.kb, double(k.blocks), double(k.of->thesis.blocks),
				  k.block_us, k.of->thesis.block,
				  k.mean(technique::chimera,
					 [](const outcome &o) { return o.saved_blocks ? o.save_latency : 0; }),
				  k.of->thesis.switching}});
	}

	void splits()
	{
		figure truth{"4.3", "lbm: some of a processor's blocks are saved, the others drain",
			     "us",  {"saved", "drained"},
			     {},    true};
		figure guess{"4.4", "lbm: what Chimera expects of that",
			     "us",  {"saved", "as expected", "drained", "as expected "},
			     {},    true};
		for (const split_outcome &s : m_.splits) {
			truth.groups.push_back({std::to_string(s.saved), {s.was.save_latency, s.was.drain_latency}});
			guess.groups.push_back({std::to_string(s.saved),
						{s.was.save_latency, s.was.predicted_save, s.was.drain_latency,
						 s.was.predicted_drain}});
		}
		out_.figures.push_back(truth);
		out_.figures.push_back(guess);
		if (m_.splits.size() < 2)
			return;
		const outcome &nothing = m_.splits.front().was, &all = m_.splits.back().was, &one = m_.splits[1].was;
		say("4.3", "lbm, saving all blocks / one", "rises with their number",
		    format("%.1f / %.1f us", all.save_latency, one.save_latency));
		say("4.3", "lbm, draining all blocks / all but one", "falls as others leave",
		    format("%.1f / %.1f us", nothing.drain_latency, one.drain_latency));
		say("4.4", "Chimera's expectation / truth, all saved", "far too low",
		    format("%.2f", all.predicted_save / all.save_latency));
	}

	void dirty()
	{
		const figure &f = by_kernel(
			"4.5", "Registers written / allocated", "ratio", {"25 %", "50 %", "75 %"},
			[](const measured_kernel &k, unsigned b) {
				const auto at = k.dirty.find(fractions[b]);
				return at == k.dirty.end() ? 0 : at->second;
			},
			false);
		say("4.5", "registers written / allocated, mean over 25, 50, 75 %", "-38.2, -48 %",
		    "all " + change(mean_of(last(f))) + ", saving " + change(mean_of(saving(f))));
		std::vector<double> of_table;
		for (const measured_kernel &k : m_.kernels)
			of_table.push_back(std::min(1.0, k.context_kb / k.of->thesis.kb));
		say("4.5", "our contexts / those of table 4.1, at most 1", "(the same?)", change(mean_of(of_table)));
	}

	void shares()
	{
		std::vector<std::string> bars;
		for (unsigned l = 0; l < leavings; l++)
			bars.emplace_back(name_of(leaving(l)));
		by_kernel(
			"4.8", "How blocks leave with PEP", "part of blocks", bars,
			[](const measured_kernel &k, unsigned b) {
				const double all = k.sum(technique::pep, [](const outcome &o) {
					return double(o.saved_blocks + o.drained_blocks);
				});
				const auto count = [b](const outcome &o) { return double(o.leaves[b]); };
				return all > 0 ? k.sum(technique::pep, count) / all : 0;
			},
			false);
		unsigned always = 0, large = 0, as_there = 0, all = 0;
		for (const measured_kernel &k : m_.kernels) {
			const double saved = k.sum(technique::pep, saved_blocks),
				     n = k.sum(technique::pep, [](const outcome &o) {
					     return double(o.saved_blocks + o.drained_blocks);
				     });
			const double base = k.sum(technique::pep, [](const outcome &o) { return double(o.leaves[0]); });
			large += k.block_us > 100;
			always += k.block_us > 100 && base > 0.999 * n;
			all++;
			as_there += (saved > 0.5 * n) == k.of->saves();
		}
		say("4.8", "kernels with blocks over 100 us that always make base and delta", "all",
		    format("%u of %u", always, large));
		say("4.8", "the first nine mostly save, the last seven mostly drain", "16 of 16",
		    format("%u of %u", as_there, all));
	}

	void latencies()
	{
		const figure f = by_kernel(
			"4.9", "Preemption latency", "us", names(all_techniques),
			[](const measured_kernel &k, unsigned b) { return k.latency(all_techniques[b]); }, false);
		const std::vector<double> &mean = last(f);
		say("4.9", "mean: Chimera, PEP, in-place", "8.9, 4.5, 3.6 us",
		    format("%.1f, %.1f, %.1f us", mean[0], mean[2], mean[3]));
		const figure g = by_kernel(
			"4.10", "Preemption latency of kernels that save", "latency / Chimera's", names(all_techniques),
			[](const measured_kernel &k, unsigned b) {
				return k.latency(all_techniques[b]) / k.latency(technique::chimera);
			},
			true);
		const std::vector<double> &part = last(g);
		say("4.10", "dirty, PEP, in-place to Chimera, kernels that save", "-31.8, -58.5, -70.3 %",
		    change(part[1]) + ", " + change(part[2]) + ", " + change(part[3]));
		for (const figure::group &k : g.groups)
			if (k.name == "kmeans")
				say("4.10", "kmeans: PEP to Chimera", "0 %", change(k.values[2]));
	}

	// A launch that takes 5 us comes while the base checkpoint is being saved.
	void by_length()
	{
		const auto mean = [](const measured_kernel &k, technique t, double takes) {
			double sum = 0, n = 0;
			for (const auto &[key, o] : k.runs) {
				if (key.by == t && key.takes == takes) {
					sum += o.latency;
					n++;
				}
			}
			return n > 0 ? sum / n : none;
		};
		constexpr double all_takes[] = {5, 15, 25, 35};
		figure f{"4.10-takes",
			 "Latency by the time that a launch takes, kernels that save",
			 "latency / Chimera's",
			 {"PEP", "PEP in-place"},
			 {},
			 true};
		std::vector<double> later;
		for (const double takes : all_takes) {
			figure::group g = {format("%.0f", takes), {}};
			for (const technique t : {technique::pep, technique::pep_in_place}) {
				std::vector<double> parts;
				for (const measured_kernel &k : m_.kernels)
					if (k.of->saves())
						parts.push_back(mean(k, t, takes) / k.latency(technique::chimera));
				g.values.push_back(mean_of(parts));
			}
			if (takes > all_takes[0])
				later.push_back(g.values[0]);
			f.groups.push_back(g);
		}
		out_.figures.push_back(f);
		say("4.10", "PEP to Chimera, launches of 5 us; of 15 us and more", "-58.5 % of all",
		    change(f.groups[0].values[0]) + "; " + change(mean_of(later)));
	}

	// What is expected is for the blocks that are saved when the launch is there.
	void expectations()
	{
		const auto ratio = [&](technique t) {
			std::vector<double> all;
			for (const measured_kernel &k : m_.kernels)
				for (const auto &[key, o] : k.runs)
					if (key.by == t && o.predicted_save > 0 && o.save_latency > 0)
						all.push_back(o.predicted_save / o.save_latency);
			return mean_of(all);
		};
		say("4.4", "time of saving, expected / true, all kernels: Chimera, PEP", "Chimera's is far too low",
		    format("%.2f, %.2f", ratio(technique::chimera), ratio(technique::pep)));
	}

	// Only runs in which blocks are saved say anything of bytes.
	static double bytes_of_block(const measured_kernel &k, technique t)
	{
		const double blocks = k.sum(t, saved_blocks);
		return blocks > 0 ? k.sum(t, moved) / blocks : none;
	}

	void bytes()
	{
		const figure &f = by_kernel(
			"4.11", "Bytes saved to memory", "bytes / Chimera's", names(all_techniques),
			[](const measured_kernel &k, unsigned b) {
				return bytes_of_block(k, all_techniques[b]) / (k.context_kb * kb);
			},
			true);
		const std::vector<double> &part = last(f);
		say("4.11", "dirty, PEP to Chimera; in-place to PEP", "-34.4, about 0; -16.2 %",
		    change(part[1]) + ", " + change(part[2]) + "; " + change(part[3] / part[2]));
	}

	void deltas()
	{
		const figure &f = by_kernel(
			"4.12", "Delta / base checkpoint", "ratio of bytes", {"PEP"},
			[](const measured_kernel &k, unsigned) {
				const double base =
					k.sum(technique::pep, [](const outcome &o) { return double(o.base_bytes); });
				const auto delta = [](const outcome &o) {
					return o.base_bytes ? double(o.delta_bytes) : 0;
				};
				return base > 0 ? k.sum(technique::pep, delta) / base : none;
			},
			true);
		say("4.12", "delta / base, kernels that save", "56.1 %", format("%.1f %%", 100 * last(f)[0]));
	}

	void in_place()
	{
		const auto kept = [](const outcome &o) { return double(o.in_place_bytes); };
		const figure &f = by_kernel(
			"4.13", "What stays on the chip", "part; KB a block", {"of the delta", "of the base", "KB"},
			[&](const measured_kernel &k, unsigned b) {
				const technique t = technique::pep_in_place;
				const double of =
					b == 0   ? k.sum(t, [](const outcome &o) { return double(o.delta_bytes); })
					: b == 1 ? k.sum(t, [](const outcome &o) { return double(o.base_bytes); })
						 : k.sum(t, saved_blocks) * kb;
				return of > 0 ? k.sum(t, kept) / of : none;
			},
			true);
		say("4.13", "stays on the chip: of the delta, of the base; a block",
		    "29.4 % (of which is not said), 3.34 KB",
		    format("%.1f, %.1f %%; %.2f KB", 100 * last(f)[0], 100 * last(f)[1], last(f)[2]));
	}

	void twice()
	{
		figure &f = out_.figures.emplace_back(figure{"4.14",
							     "Latency with twice the processors and the same memory",
							     "latency / with once",
							     names(all_techniques),
							     {},
							     false});
		std::vector<std::vector<double>> of(techniques);
		for (size_t i = 0; i < m_.twice.size(); i++) {
			figure::group g = {m_.twice[i].of->name, {}};
			if (!m_.twice[i].of->saves())
				continue;
			for (const technique t : all_techniques) {
				g.values.push_back(m_.twice[i].latency(t) / m_.kernels[i].latency(t));
				of[unsigned(t)].push_back(g.values.back());
			}
			f.groups.push_back(g);
		}
		if (f.groups.empty())
			return;
		figure::group mean = {"mean", {}};
		for (const std::vector<double> &v : of)
			mean.values.push_back(mean_of(v));
		f.groups.push_back(mean);
		say("4.14", "32 processors / 16, Chimera; PEP", "2.58 (whose is not said)",
		    format("%.2f; %.2f", mean.values[0], mean.values[2]));
	}

	void overhead()
	{
		const figure &f = by_kernel(
			"4.15", "How long blocks stand for checkpoints", "time / Chimera's",
			{"base alone", "PEP", "PEP in-place"},
			[](const measured_kernel &k, unsigned b) {
				const auto stood = [&](technique t, bool base) {
					const auto of_run = [&](const outcome &o) {
						return saved_blocks(o) * (base ? o.stood_for_base : o.stood);
					};
					const double n = k.sum(t, saved_blocks);
					return n > 0 ? k.sum(t, of_run) / n : none;
				};
				const double whole = stood(technique::chimera, false);
				return stood(b == 2 ? technique::pep_in_place : technique::pep, b == 0) / whole;
			},
			true);
		const std::vector<double> &part = last(f);
		say("4.15", "base, base and delta, to Chimera; in-place to PEP", "-37.9, -6.3; -16.4 %",
		    change(part[0]) + ", " + change(part[1]) + "; " + change(part[2] / part[1]));
	}

	const all_measured &m_;
	drawn out_;
};

} // namespace

const char *name_of(leaving l)
{
	constexpr const char *all[leavings] = {"base + delta", "one checkpoint", "drain", "drain, one checkpoint",
					       "drain, base + delta"};
	return all[unsigned(l)];
}

drawn draw_all(const all_measured &m)
{
	return drawer(m).all();
}

} // namespace pep
