// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/resident.h"

#include "common/format.h"
#include "micro/chase.h"
#include "micro/group.h"
#include "micro/tests.h"

#include <algorithm>
#include <cmath>

namespace micro
{

namespace
{

using bench::format;

constexpr uint32_t word = sizeof(uint32_t);

// The ring that the groups follow. A unit's scheduler has a load of its nearest cache every five clocks or so, while
// one takes some forty: groups of two warps, of which the first ones share two of four schedulers, would wait for
// those. Of a ring that no unit's cache holds each load takes so long that there is time for all.
class shared_ring
{
      public:
	explicit shared_ring(context &c) : ring_(made(c)), words_(c.dut, ring_.bytes)
	{
		const std::vector<uint32_t> words = ring_.words();
		c.dut.write(words_.get(), 0, words.data(), ring_.bytes);
	}

	void *get() const { return words_.get(); }
	uint32_t places() const { return uint32_t(ring_.order.size()); }
	// Returns where a group is after so many steps.
	uint32_t end_of(uint32_t group, uint32_t steps) const
	{
		const uint32_t first = first_place_of_group(group, places());
		const auto at = std::find(ring_.order.begin(), ring_.order.end(), first) - ring_.order.begin();
		return ring_.after(uint64_t(at) + steps);
	}

      private:
	static ring made(const context &c)
	{
		const size_t wanted = c.dut.what().cpu ? 4096 : 4 << 20, place = words_of_place * word;
		random_stream random(c.seed, 12);
		return random_ring(std::min(wanted, c.most_bytes) / place * place, place, random);
	}

	const ring ring_;
	memory words_;
};

// Returns how long a walk must be so that a launch takes long enough.
uint32_t steps_for(const context &c, const std::function<double(uint32_t steps)> &run)
{
	uint32_t steps = 256;
	run(steps);
	while (steps < 1u << 24 && run(steps) < c.how.shortest_ns)
		steps *= 2;
	return 4 * steps;
}

// Other work makes a launch longer, and never shorter.
double least_of(const context &c, const std::function<double()> &run)
{
	double least = run();
	for (unsigned i = 1; i < std::min(3u, c.how.least); i++)
		least = std::min(least, run());
	return least;
}

void find_resident(context &c, const shared_ring &ring, uint32_t group)
{
	const uint32_t most = uint32_t(std::min<size_t>(c.most_threads / group, size_t{c.dut.what().units} * 256));
	const std::string name = format("groups.of_%u", group);
	if (most < 2)
		return;
	memory out(c.dut, size_t{most} * word);
	const auto run = [&](uint32_t groups, uint32_t steps) {
		const argument a[] = {ring.get(), out.get(), int(steps), int(group), int(ring.places())};
		const double took = c.dut.run(stay_kernel, size_t{groups} * group, group, a);
		uint32_t end = 0;
		c.dut.read(out.get(), size_t{groups - 1} * word, &end, word);
		if (end != ring.end_of(groups - 1, steps))
			throw wrong_result("resident groups: a walk ended at the wrong place");
		return took;
	};
	const uint32_t steps = steps_for(c, [&](uint32_t n) { return run(1, n); });
	c.out.add(resident_fact(name, most,
				[&](uint32_t groups) {
					c.progress(format("%u groups of %u", groups, group));
					return least_of(c, [&] { return run(groups, steps); });
				}),
		  c.claim(name));
}

} // namespace

fact resident_fact(const std::string &name, uint32_t most, const std::function<double(uint32_t groups)> &time_of)
{
	constexpr double alike = 1.3, waits = 1.6; // times what one takes
	fact f{.name = name, .unit = "groups"};
	json points = json::array();
	const auto time = [&](uint32_t groups) {
		const double took = time_of(groups);
		points.push_back(json{{"x", groups}, {"samples", std::vector<double>{took}}});
		return took;
	};
	const double one = time(1);
	uint32_t fits = 1, many = 2;
	double of_fits = one, of_many = 0;
	while (many <= most && (of_many = time(many)) < waits * one) {
		fits = many;
		of_fits = of_many;
		many *= 2;
	}
	if (many > most) {
		f.why = format("%u groups take no longer than one", fits);
		return f;
	}
	while (many - fits > 1) {
		const uint32_t middle = fits + (many - fits) / 2;
		const double took = time(middle);
		(took < waits * one ? fits : many) = middle;
		(took < waits * one ? of_fits : of_many) = took;
	}
	f.basis = {{"points", points}};
	f.value = f.low = f.high = fits;
	if (of_fits > alike * one) {
		f.why = format("the time grows without a step: %u groups take %.2f times as long as one, %u %.2f times",
			       fits, of_fits / one, many, of_many / one);
		return f;
	}
	f.is = verdict::found;
	f.confidence = 0.95;
	f.why = format("so many take %.2f times as long as one, and one more %.2f times", of_fits / one, of_many / one);
	return f;
}

void test_resident(context &c)
{
	const shared_ring ring(c);
	for (uint32_t group : {32u, 64u, 256u, 1024u})
		if (group <= c.dut.what().largest_group)
			find_resident(c, ring, group);
}

} // namespace micro
