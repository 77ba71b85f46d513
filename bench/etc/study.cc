// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/study.h"

#include "noc/parallel.h"

#include <algorithm>
#include <mutex>

namespace etc
{

namespace
{

constexpr het::rt::techniques ahead{true, false, false}, throttled{false, true, false}, compressed{false, false, true},
	ahead_and_compressed{true, false, true}, throttled_and_compressed{false, true, true};
// What ETC's compression is taken to make of data: ours do not say what the thesis' are like.
constexpr double usual_ratio = 1.5;

auto with(const het::rt::techniques &t)
{
	return [t](configuration &c) {
		c.with = t;
		c.ratio = t.compressed ? usual_ratio : 1;
	};
}

auto throttled_by(grain g)
{
	return [g](configuration &c) {
		c.with = throttled;
		c.throttled = g;
	};
}

auto in_steps(unsigned down, unsigned up)
{
	return [=](configuration &c) {
		c.with = throttled;
		c.down = down;
		c.up = up;
	};
}

void as_etc(configuration &c)
{
	c.how = mode::automatic;
	c.ratio = usual_ratio;
}

auto planned(bool turn, bool mix)
{
	return [=](configuration &c) {
		c.how = mode::planned;
		c.order = {turn, mix};
	};
}

auto at_ratio(const het::rt::techniques &t, double ratio)
{
	return [=](configuration &c) {
		c.with = t;
		c.ratio = ratio;
	};
}

std::vector<way> make_ways()
{
	std::vector<way> all = {
		{"BL", [](configuration &) {}},
		{"PE", with(ahead)},
		{"CC", with(compressed)},
		{"PE+CC", with(ahead_and_compressed)},
		{"half",
		 [](configuration &c) {
			 c.with = throttled;
			 c.adapts = false;
		 }},
		{"MT", with(throttled)},
		{"MT+CC", with(throttled_and_compressed)},
		{"MT by blocks", throttled_by(grain::blocks)},
		{"MT by warps", throttled_by(grain::warps)},
		{"MT down 2", in_steps(2, 1)},
		{"MT down 3", in_steps(3, 1)},
		{"MT up 2", in_steps(1, 2)},
		{"MT up 3", in_steps(1, 3)},
		{"ETC", as_etc},
		{"ETC, 50 us",
		 [](configuration &c) {
			 as_etc(c);
			 c.of.fault_us *= 2.5;
		 }},
		{"ours", planned(true, true)},
		{"ours, no mixing", planned(true, false)},
		{"ours, in order", planned(false, false)},
	};
	for (const double ratio : {1.0, 1.25, 1.5, 1.75, 2.0, 2.5}) {
		const std::string suffix = " " + std::to_string(ratio).substr(0, 4);
		all.push_back({"MT+CC" + suffix, at_ratio(throttled_and_compressed, ratio)});
		all.push_back({"PE+CC" + suffix, at_ratio(ahead_and_compressed, ratio)});
	}
	return all;
}

} // namespace

std::span<const way> all_ways()
{
	static const std::vector<way> all = make_ways();
	return all;
}

const way &way_named(const std::string &name)
{
	for (const way &w : all_ways())
		if (w.name == name)
			return w;
	throw std::invalid_argument("there is no way to run a program that is called " + name);
}

machine study::full_machine() const
{
	machine m;
	for (const std::string &s : settings_)
		set(m, s);
	return m;
}

machine study::machine_of(const program &p) const
{
	return scaled(full_machine(), factor_ ? factor_ : tiny_ ? 64 : p.factor);
}

configuration study::configuration_of(const run_key &k) const
{
	const program &p = program_named(k.program);
	configuration c;
	c.of = machine_of(p);
	c.shared = p.is == kind::shared;
	c.rate_window = 100000;
	way_named(k.way).set(c);
	c.capacity = traces_.at(k.program).bytes * k.memory / 100;
	return c;
}

void study::run(const std::vector<run_key> &wanted, const std::function<void(const run_key &)> &told)
{
	std::set<std::string> programs;
	std::vector<run_key> keys;
	for (const run_key &k : std::set<run_key>(wanted.begin(), wanted.end())) {
		if (results_.contains(k))
			continue;
		keys.push_back(k);
		if (!traces_.contains(k.program))
			programs.insert(k.program);
	}
	std::mutex lock;
	const std::vector<std::string> names(programs.begin(), programs.end());
	noc::in_parallel(threads_, names.size(), [&](size_t i) {
		const program &p = program_named(names[i]);
		program_trace t = p.record(machine_of(p).page_bytes, tiny_);
		std::lock_guard held(lock);
		traces_.emplace(names[i], std::move(t));
	});
	noc::in_parallel(threads_, keys.size(), [&](size_t i) {
		result r = simulate(traces_.at(keys[i].program), configuration_of(keys[i]));
		std::lock_guard held(lock);
		results_.emplace(keys[i], std::move(r));
		told(keys[i]);
	});
}

} // namespace etc
