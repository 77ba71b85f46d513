// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/figures.h"

#include "common/format.h"
#include "policy/sharing.h"

#include <cmath>

namespace etc
{

using bench::format;

namespace
{

std::vector<std::string> programs_of(kind k)
{
	std::vector<std::string> names;
	for (const program &p : all_programs())
		if (p.is == k)
			names.push_back(p.name);
	return names;
}

std::vector<std::string> the_fifteen()
{
	std::vector<std::string> names;
	for (const program &p : all_programs())
		if (p.is != kind::other)
			names.push_back(p.name);
	return names;
}

std::string percent(double ratio)
{
	return format("%+.1f %%", 100 * (ratio - 1));
}

class drawer
{
      public:
	explicit drawer(const ask &get) : get_(get) {}

	drawn all()
	{
		real_gpu();
		compression_alone();
		classes();
		regular();
		shared();
		irregular(75);
		irregular(50);
		fault_rate();
		samples();
		steps();
		faults();
		ratios();
		order();
		return std::move(out_);
	}

      private:
	const result &of(const std::string &p, const std::string &w, unsigned memory) const
	{
		return get_({p, w, memory});
	}
	double cycles(const std::string &p, const std::string &w, unsigned memory) const
	{
		return double(of(p, w, memory).cycles);
	}
	// The speed relative to that without a limit.
	double speed(const std::string &p, const std::string &w, unsigned memory) const
	{
		return cycles(p, "BL", 100) / cycles(p, w, memory);
	}
	// How much faster one way is than another one, in the mean over programs.
	double gain(const std::vector<std::string> &programs, const std::string &way, const std::string &than,
		    unsigned memory) const
	{
		std::vector<double> all;
		for (const std::string &p : programs)
			all.push_back(cycles(p, than, memory) / cycles(p, way, memory));
		return geometric_mean(all);
	}
	double mean_speed(const std::vector<std::string> &programs, const std::string &way, unsigned memory) const
	{
		std::vector<double> all;
		for (const std::string &p : programs)
			all.push_back(speed(p, way, memory));
		return geometric_mean(all);
	}
	void say(const std::string &id, const std::string &what, const std::string &thesis, const std::string &here)
	{
		out_.statements.push_back({id, what, thesis, here});
	}
	// Programs in groups, their mean behind them, and ways as bars: speeds relative to those without a limit.
	figure &speeds(const std::string &id, const std::string &title, const std::vector<std::string> &programs,
		       const std::vector<std::string> &ways, unsigned memory)
	{
		figure f;
		f.id = id;
		f.title = title;
		f.what = "speed / no limit";
		f.bars = ways;
		for (const std::string &p : programs) {
			f.groups.push_back({p, {}});
			for (const std::string &w : ways)
				f.groups.back().values.push_back(speed(p, w, memory));
		}
		f.groups.push_back({"mean", {}});
		for (const std::string &w : ways)
			f.groups.back().values.push_back(mean_speed(programs, w, memory));
		out_.figures.push_back(f);
		return out_.figures.back();
	}

	void real_gpu()
	{
		figure f{"3.1",
			 "Baseline with less memory (the thesis: a GPU)",
			 "speed / no limit",
			 {"75 %", "50 %"},
			 {},
			 false};
		for (const char *p : {"2DCONV", "3DCONV", "RED", "ATAX", "MVT"})
			f.groups.push_back({p, {speed(p, "BL", 75), speed(p, "BL", 50)}});
		out_.figures.push_back(f);
		const std::vector<std::string> streams = {"2DCONV", "3DCONV", "RED"};
		say("3.1", "2DCONV, 3DCONV, RED, mean", "-17 %",
		    format("75 %%: %s; 50 %%: %s", percent(mean_speed(streams, "BL", 75)).c_str(),
			   percent(mean_speed(streams, "BL", 50)).c_str()));
		say("3.1", "ATAX, MVT, slower by", "> 1000 x at 75 %, no end at 50 %",
		    format("75 %%: %.1f, %.1f x; 50 %%: %.1f, %.1f x", 1 / speed("ATAX", "BL", 75),
			   1 / speed("MVT", "BL", 75), 1 / speed("ATAX", "BL", 50), 1 / speed("MVT", "BL", 50)));
	}

	void compression_alone()
	{
		const std::vector<std::string> all = the_fifteen();
		speeds("3.8", "Compression where all fits", all, {"CC"}, 100);
		say("3.8", "LCP without a limit, mean", "-13 %", percent(mean_speed(all, "CC", 100)));
	}

	void classes()
	{
		for (const unsigned memory : {75u, 50u}) {
			figure f{"3.10-" + std::to_string(memory),
				 format("By class, %u %% of memory", memory),
				 "speed / no limit",
				 {"BL", "ETC", "ours"},
				 {},
				 false};
			for (const auto &[name, k] : {std::pair{"regular", kind::regular},
						      {"shared", kind::shared},
						      {"irregular", kind::irregular}}) {
				f.groups.push_back({name, {}});
				for (const std::string &w : f.bars)
					f.groups.back().values.push_back(mean_speed(programs_of(k), w, memory));
			}
			out_.figures.push_back(f);
		}
		const auto both = [&](kind k, const char *way) {
			return format("75 %%: %.3f; 50 %%: %.3f", mean_speed(programs_of(k), way, 75),
				      mean_speed(programs_of(k), way, 50));
		};
		const auto gains = [&](kind k, const char *way) {
			return format("75 %%: %s; 50 %%: %s", percent(gain(programs_of(k), way, "BL", 75)).c_str(),
				      percent(gain(programs_of(k), way, "BL", 50)).c_str());
		};
		say("3.10", "regular, ETC / no limit", "about 1", both(kind::regular, "ETC"));
		say("3.10", "shared, ETC over BL", "+60.4 %", gains(kind::shared, "ETC"));
		say("3.10", "irregular, ETC / BL", "2.7 (or +270 %)",
		    format("75 %%: %.2f; 50 %%: %.2f", gain(programs_of(kind::irregular), "ETC", "BL", 75),
			   gain(programs_of(kind::irregular), "ETC", "BL", 50)));
		say("3.10", "irregular, ours / BL (goal 4)", "-",
		    format("75 %%: %.2f; 50 %%: %.2f", gain(programs_of(kind::irregular), "ours", "BL", 75),
			   gain(programs_of(kind::irregular), "ours", "BL", 50)));
	}

	void regular()
	{
		const std::vector<std::string> all = programs_of(kind::regular);
		for (const unsigned memory : {75u, 50u})
			speeds("3.11-" + std::to_string(memory), format("Regular programs, %u %% of memory", memory),
			       all, {"BL", "PE", "CC", "PE+CC", "ours"}, memory);
		say("3.11", "PE over BL, CC over BL", "PE helps, CC does not",
		    format("75 %%: %s, %s; 50 %%: %s, %s", percent(gain(all, "PE", "BL", 75)).c_str(),
			   percent(gain(all, "CC", "BL", 75)).c_str(), percent(gain(all, "PE", "BL", 50)).c_str(),
			   percent(gain(all, "CC", "BL", 50)).c_str()));
	}

	void shared()
	{
		const std::vector<std::string> all = programs_of(kind::shared);
		for (const unsigned memory : {75u, 50u})
			speeds("3.12-" + std::to_string(memory), format("Shared programs, %u %% of memory", memory),
			       all, {"BL", "PE", "CC", "PE+CC", "ours"}, memory);
		say("3.12", "BL to no limit, 75 and 50 %", "-52.2, -74.1 %",
		    percent(mean_speed(all, "BL", 75)) + ", " + percent(mean_speed(all, "BL", 50)));
		for (const auto &[way, thesis] : {std::pair{"PE", "+9.3 %"}, {"CC", "+52.8 %"}, {"PE+CC", "+60.4 %"}})
			say("3.12", std::string(way) + " over BL", thesis,
			    format("75 %%: %s; 50 %%: %s", percent(gain(all, way, "BL", 75)).c_str(),
				   percent(gain(all, way, "BL", 50)).c_str()));
	}

	void irregular(unsigned memory)
	{
		const std::vector<std::string> all = programs_of(kind::irregular);
		const std::vector<std::string> ways = {"BL", "half", "MT by warps", "MT by blocks",
						       "MT", "CC",   "MT+CC",       "ours"};
		const std::string id = memory == 75 ? "3.13" : "3.14";
		speeds(id, format("Irregular programs, %u %% of memory", memory), all, ways, memory);
		figure e{id + "-evictions",
			 format("Evictions of irregular programs, %u %% of memory", memory),
			 "granules evicted / baseline",
			 {ways.begin(), ways.end() - 1},
			 {},
			 false};
		for (const std::string &p : all) {
			e.groups.push_back({p, {}});
			for (const std::string &w : e.bars)
				e.groups.back().values.push_back(
					double(of(p, w, memory).demand.evictions) /
					std::max(1.0, double(of(p, "BL", memory).demand.evictions)));
		}
		out_.figures.push_back(e);
		if (memory == 75) {
			say(id, "half of the processors, over BL", "+57.7 %", percent(gain(all, "half", "BL", 75)));
			say(id, "CC over BL: BICG, MVT", "+51.8, +203.6 %",
			    percent(gain({"BICG"}, "CC", "BL", 75)) + ", " + percent(gain({"MVT"}, "CC", "BL", 75)));
			say(id, "CC / no limit: BICG, MVT", "0.857, 0.887",
			    format("%.3f, %.3f", speed("BICG", "CC", 75), speed("MVT", "CC", 75)));
		} else {
			say(id, "half of the processors, over BL", "-10.5 %", percent(gain(all, "half", "BL", 50)));
			say(id, "MT + CC over BL", "+436 %", percent(gain(all, "MT+CC", "BL", 50)));
		}
		say(id, "MT over BL, by processors, blocks, warps", "the latter two fail",
		    percent(gain(all, "MT", "BL", memory)) + ", " + percent(gain(all, "MT by blocks", "BL", memory)) +
			    ", " + percent(gain(all, "MT by warps", "BL", memory)));
	}

	void fault_rate()
	{
		figure f{"3.15",   "Faults of ATAX in windows of 100,000 cycles, 50 % of memory",
			 "faults", {"BL", "MT", "MT+CC"},
			 {},       true};
		size_t windows = 0;
		for (const std::string &w : f.bars)
			windows = std::max(windows, of("ATAX", w, 50).fault_rate.size());
		for (size_t i = 0; i < windows; i++) {
			f.groups.push_back({std::to_string(i * 100000), {}});
			for (const std::string &w : f.bars) {
				const std::vector<uint64_t> &rate = of("ATAX", w, 50).fault_rate;
				f.groups.back().values.push_back(i < rate.size() ? double(rate[i]) : 0);
			}
		}
		out_.figures.push_back(f);
	}

	void samples()
	{
		figure lines{"3.16", "Lines of an access of a warp", "lines", {"sample", "whole"}, {}, false};
		figure pages{"3.17", "Pages of an access of a warp", "pages", {"sample", "whole"}, {}, false};
		unsigned right = 0, all = 0;
		for (const program &p : all_programs()) {
			if (p.is == kind::other)
				continue;
			const result &r = of(p.name, "BL", 100);
			lines.groups.push_back({p.name, {r.sample_lines, r.lines}});
			pages.groups.push_back({p.name, {r.sample_pages, r.pages}});
			all++;
			right += r.regular == (p.is != kind::irregular);
		}
		out_.figures.push_back(lines);
		out_.figures.push_back(pages);
		say("3.16", "programs whose class the sample tells", "all", format("%u of %u", right, all));
	}

	void steps()
	{
		const std::vector<std::string> all = programs_of(kind::irregular);
		for (const auto &[id, way] : {std::pair{"3.18", "down"}, {"3.19", "up"}}) {
			const std::string name = std::string("MT ") + way;
			for (const unsigned memory : {75u, 50u})
				speeds(std::string(id) + "-" + std::to_string(memory),
				       format("Processors that %s at once, %u %% of memory",
					      way == std::string("down") ? "stop" : "go on", memory),
				       all, {"MT", name + " 2", name + " 3"}, memory);
			say(id, std::string("steps ") + way + " of 2 and 3, over steps of 1",
			    way == std::string("down") ? "1 is best" : "1 is best; matters less than down",
			    format("75 %%: %s, %s; 50 %%: %s, %s", percent(gain(all, name + " 2", "MT", 75)).c_str(),
				   percent(gain(all, name + " 3", "MT", 75)).c_str(),
				   percent(gain(all, name + " 2", "MT", 50)).c_str(),
				   percent(gain(all, name + " 3", "MT", 50)).c_str()));
		}
	}

	void faults()
	{
		const std::vector<std::string> all = the_fifteen();
		for (const unsigned memory : {75u, 50u})
			speeds("3.20-" + std::to_string(memory),
			       format("ETC with faults of 20 and 50 us, %u %% of memory", memory), all,
			       {"ETC", "ETC, 50 us"}, memory);
		say("3.20", "faults of 50 us, to those of 20", "-31.2 %",
		    format("75 %%: %s; 50 %%: %s", percent(gain(all, "ETC, 50 us", "ETC", 75)).c_str(),
			   percent(gain(all, "ETC, 50 us", "ETC", 50)).c_str()));
	}

	void ratios()
	{
		figure f{"3.21", "Speed by ratio of compression, 50 % of memory", "speed / no limit", {}, {}, true};
		std::vector<std::string> all = programs_of(kind::irregular);
		for (const std::string &p : programs_of(kind::shared))
			all.push_back(p);
		f.bars = all;
		for (const char *ratio : {"1.00", "1.25", "1.50", "1.75", "2.00", "2.50"}) {
			f.groups.push_back({ratio, {}});
			for (const std::string &p : all)
				f.groups.back().values.push_back(
					speed(p,
					      (program_named(p).is == kind::shared ? "PE+CC " : "MT+CC ") +
						      std::string(ratio),
					      50));
		}
		out_.figures.push_back(f);
		std::string here;
		for (const char *ratio : {"1.00", "1.50", "1.75", "2.00", "2.50"})
			here += format("%s%s: %.3f", here.empty() ? "" : ", ", ratio,
				       mean_speed(programs_of(kind::irregular), "MT+CC " + std::string(ratio), 50));
		say("3.21", "irregular, mean speed by ratio", "linear, and a jump at 2", here);
	}

	void order()
	{
		const std::vector<std::string> all = the_fifteen();
		for (const unsigned memory : {75u, 50u}) {
			const std::vector<std::string> ways = {"ours, in order", "ours, no mixing", "ours"};
			speeds("order-" + std::to_string(memory),
			       format("Known sets, %u %% of memory: slices in order, turning round, and mixed", memory),
			       all, ways, memory);
			figure b{"bytes-" + std::to_string(memory),
				 format("Bytes to the device, %u %% of memory", memory),
				 "bytes / baseline without a limit",
				 {"BL", "ETC", "ours, in order", "ours, no mixing", "ours"},
				 {},
				 false};
			for (const std::string &p : all) {
				b.groups.push_back({p, {}});
				for (const std::string &w : b.bars)
					b.groups.back().values.push_back(double(of(p, w, memory).bytes_in) /
									 double(of(p, "BL", 100).bytes_in));
			}
			out_.figures.push_back(b);
		}
		say("ours", "known sets at 100 % of memory / no limit", "-",
		    format("%.3f", mean_speed(all, "ours", 100)));
	}

	const ask &get_;
	drawn out_;
};

} // namespace

double geometric_mean(const std::vector<double> &values)
{
	double sum = 0;
	for (const double v : values)
		sum += std::log(v);
	return values.empty() ? 0 : std::exp(sum / double(values.size()));
}

drawn draw(const ask &get)
{
	return drawer(get).all();
}

std::vector<run_key> runs_of_figures()
{
	std::vector<run_key> wanted;
	result some;
	some.cycles = 1;
	some.bytes_in = 1;
	draw([&](const run_key &k) -> const result & {
		wanted.push_back(k);
		return some;
	});
	return wanted;
}

bool shares_pages(const program_trace &t, uint64_t page_bytes)
{
	std::vector<het::rt::used_bytes> uses;
	for (unsigned l = 0; l < t.launches.size(); l++) {
		std::vector<bool> pages((t.bytes + page_bytes - 1) / page_bytes);
		for (const uint32_t line : t.launches[l].lines)
			pages[line * uint64_t{line_bytes} / page_bytes] = true;
		for (uint64_t p = 0; p < pages.size(); p++)
			if (pages[p])
				uses.push_back({p * page_bytes, (p + 1) * page_bytes, l});
	}
	return het::rt::is_shared(uses, page_bytes);
}

} // namespace etc
