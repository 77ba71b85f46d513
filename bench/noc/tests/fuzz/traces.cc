// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// libFuzzer runs this: any file is read as a trace or refused with a reason; what is read is written alike, and small
// ones are played or refused.
#include "noc/trace/packets.h"
#include "noc/trace/play.h"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

using namespace noc;

namespace
{

constexpr size_t most_played = 64; // packets or events

void play_small(const packet_trace &t)
{
	if (t.packets.size() > most_played)
		return;
	configuration c;
	c.network = "two-layers";
	c.how = routing::yx_z;
	c.policy = "dll";
	c.router.checked = true;
	try {
		if (play(t, c, {}).packets != t.packets.size())
			abort();
	} catch (const std::runtime_error &) {
	}
}

void read_packets(std::span<const uint8_t> file)
{
	const packet_trace t = read_netrace(file);
	if (read_netrace(write_netrace(t)) != t)
		abort();
	play_small(t);
}

void read_threads(std::span<const uint8_t> file)
{
	const access_trace t = read_accesses(file);
	if (read_accesses(write_accesses(t)) != t)
		abort();
	size_t events = 0;
	for (const auto &of_thread : t)
		events += of_thread.size();
	if (events <= most_played)
		play_small(packets_of(t, {}));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (const auto read : {read_packets, read_threads})
		try {
			read({data, size});
		} catch (const std::invalid_argument &e) {
			if (!*e.what())
				abort();
		}
	return 0;
}
