// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/caches.h"
#include "micro/footprints.h"
#include "micro/tests.h"
#include "micro/walker.h"

namespace micro
{

// The caches of a texture are those of global memory on some devices: what differs then is what a load takes.
void test_texture_latency(context &c)
{
	constexpr size_t least = 2048, page = 4096, spacing = 64, enough = 64 << 20;
	const traits &w = c.dut.what();
	const size_t wanted = w.cpu ? 4 << 20 : std::max(enough, 2 * c.claimed_cache());
	const size_t most = std::min({wanted, w.texture_memory, w.largest, w.memory / 4, c.most_bytes}) / page * page;
	if (most < least) {
		c.out.refuse("texture-latency", "the device has no textures over buffers of words",
			     "nothing: there is none to measure");
		return;
	}
	walker by(c, most, true);
	const curve found = sweep_footprints(
		c, "latency/texture", {least, most, spacing, c.quick ? 2u : 6u}, [&](size_t footprint, point &p) {
			return by.measure([&](random_stream &r) { return random_ring(footprint, spacing, r); }, p);
		});
	// It is ordinary memory of a processor, whose caches other tests look for.
	if (w.cpu)
		return;
	const levels l = find_levels(found, c.seed);
	for (const fact &f : cache_facts(found, l, std::vector<owner>(l.knees.size(), owner::cache), "texture."))
		c.out.add(f, nullptr);
	c.out.add(last_fact("texture.last.latency", found, l), nullptr);
}

} // namespace micro
