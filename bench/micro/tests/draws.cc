// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "draws.h"

#include "common/format.h"
#include "outcome.h"

#include <algorithm>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

template <typename T> T one_of(std::initializer_list<T> all, random_stream &random)
{
	return all.begin()[random.below(uint32_t(all.size()))];
}

// A power of two, or one and a half, and now and then one of the sizes between.
size_t drawn_size(unsigned least_power, unsigned powers, random_stream &random)
{
	const size_t base = size_t{1} << (least_power + random.below(powers));
	return base / 4 * one_of({4u, 4u, 5u, 6u, 7u}, random);
}

planted_cache drawn_cache(size_t size, double ns, random_stream &random)
{
	planted_cache c;
	c.size = size;
	c.line = one_of({size_t{32}, size_t{64}, size_t{64}, size_t{128}}, random);
	c.ways = one_of({4u, 8u, 16u}, random);
	c.least_recent = random.below(3) > 0;
	c.ns = ns;
	return c;
}

} // namespace

plant drawn_plant(uint64_t seed, nuisance how)
{
	random_stream random(seed, 31);
	plant p;
	p.seed = seed;
	double ns = 1 + 9 * random.unit();
	size_t size = drawn_size(13, 4, random); // 8 to 112 KiB
	constexpr size_t largest = 1 << 20;      // a quarter of the largest footprint
	for (unsigned n = random.below(4); n > 0 && size <= largest; n--) {
		p.caches.push_back(drawn_cache(size, ns, random));
		if (p.caches.size() > 1) {
			p.caches.back().pages_anywhere = random.below(2);
			p.caches.back().ways = one_of({8u, 16u}, random);
		}
		// A cache's lines are no smaller than those of one that is nearer to the device.
		if (p.caches.size() > 1)
			p.caches.back().line = std::max(p.caches.back().line, p.caches[p.caches.size() - 2].line);
		size *= 4 + random.below(13);
		ns *= 1.6 + 3 * random.unit();
	}
	p.memory_ns = ns;
	if (how == nuisance::quiet) {
		p.noise = 0.002 + 0.008 * random.unit();
	} else {
		p.noise = 0.005 + 0.025 * random.unit();
		p.outliers = 0.1 * random.unit();
		p.tick_ns = one_of({1.0, 32.0, 500.0}, random);
		p.launch_ns = 1000 + 20000 * random.unit();
		p.neighbours = p.caches.size() > 1 && random.below(3) == 0 ? 0.5 : 0;
	}
	return p;
}

plant drawn_gpu(uint64_t seed)
{
	random_stream random(seed, 34);
	plant p;
	p.seed = seed;
	p.forgets = true;
	p.units = 8;
	p.launch_ns = 200; // as the caches are small, and so are launches
	const double ns = 10 + 20 * random.unit();
	planted_cache l1 = drawn_cache(one_of({size_t{3072}, size_t{4096}, size_t{5120}}, random), ns, random);
	l1.ways = 4;
	l1.line = 64;
	l1.sector = one_of({size_t{0}, size_t{32}}, random);
	planted_cache l2 = drawn_cache(drawn_size(14, 1, random), ns * (3 + 5 * random.unit()), random);
	l2.line = one_of({size_t{64}, size_t{128}}, random);
	l2.ways = 16;
	p.memory_ns = l2.ns * (1.7 + 1.3 * random.unit());
	if (random.below(3) > 0) {
		l2.segments = 2;
		l2.far_ns = l2.ns + (p.memory_ns - l2.ns) * (0.3 + 0.3 * random.unit());
	}
	p.caches = {l1, l2};
	p.noise = 0.002 + 0.004 * random.unit();
	return p;
}

std::map<std::string, double> truth_of(const plant &p)
{
	std::map<std::string, double> t;
	for (size_t i = 0; i < p.caches.size(); i++) {
		const std::string level = format("l%zu", i + 1);
		t[level + ".size"] = double(p.caches[i].size);
		t[level + ".latency"] = p.caches[i].ns;
		t[level + ".line"] = double(p.caches[i].line);
		t[level + ".fetch"] = double(p.caches[i].sector ? p.caches[i].sector : p.caches[i].line);
	}
	t["memory.latency"] = p.memory_ns;
	if (p.forgets && p.caches.size() > 1)
		t[format("l%zu.segments", p.caches.size())] = p.caches.back().segments;
	if (p.pages_held)
		t["tlb1.reach"] = double(p.pages_held * p.page);
	return t;
}

namespace
{

bool is_right(const std::string &kind, double found, double truth)
{
	constexpr double one_step = 1.0 / 6; // octaves, of a sweep over footprints
	if (kind == "latency")
		return std::abs(found / truth - 1) <= 0.03;
	if (kind == "line" || kind == "fetch" || kind == "segments")
		return found == truth;
	return std::abs(std::log2(found / truth)) <= one_step;
}

void count_found(const fact &f, double truth, rate &r, std::string &wrong)
{
	const std::string kind = f.name.substr(f.name.find('.') + 1);
	const bool right = truth > 0 && is_right(kind, f.value, truth);
	r.right += right;
	r.within += right && f.low <= truth && truth <= f.high;
	if (f.confidence >= 0.95) {
		r.confident++;
		r.confident_wrong += !right;
	}
	if (truth > 0)
		r.worst = std::max(r.worst, std::abs(f.value / truth - 1));
	if (!right)
		wrong += format(" %s is %.4g, not %.4g (confidence %.2f);", f.name.c_str(), f.value, truth,
				f.confidence);
}

} // namespace

void count(const plant &p, const std::vector<std::string> &tests, rates &to, std::string &wrong, size_t most_bytes)
{
	planted_target dut(p);
	choice what;
	what.only = tests;
	what.seed = p.seed;
	what.planted = true;
	what.planted_bytes = most_bytes;
	outcome o;
	run(o, dut, what);
	std::map<std::string, double> truth = truth_of(p);
	for (const fact &f : o.records.facts()) {
		if (f.is != verdict::found || f.name.starts_with("clock."))
			continue;
		const std::string kind = f.name.substr(f.name.find('.') + 1);
		const auto it = truth.find(f.name);
		rate &r = to[kind];
		r.all += it == truth.end(); // what was found and is not there
		count_found(f, it == truth.end() ? 0 : it->second, r, wrong);
	}
	for (const auto &[name, value] : truth) {
		to[name.substr(name.find('.') + 1)].all++;
		if (!o.records.find(name))
			wrong += " no " + name + ";";
	}
	for (const json &r : o.document()["refused"])
		wrong += " refused " + r.dump() + ";";
}

} // namespace micro
