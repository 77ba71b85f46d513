// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake devices' links are here, PCIe and to each other: each direction serves what comes in order, at its rate.
#include "fake/driver.h"

#include <algorithm>
#include <chrono>

namespace het
{

namespace
{

using time_point = std::chrono::steady_clock::time_point;

struct one_way {
	std::mutex lock;
	time_point free_at;
};

one_way &link_of(int device, bool home)
{
	static auto *links = new one_way[fake_cuda_linked][2];
	return links[device][home];
}

one_way &peer_link_of(int from, int to)
{
	static auto *links = new one_way[fake_cuda_linked][fake_cuda_linked];
	return links[from][to];
}

void pass(one_way &link, double us)
{
	const auto takes = std::chrono::duration<double, std::micro>(us);
	time_point end;
	{
		std::lock_guard g(link.lock);
		time_point begin = std::max(link.free_at, std::chrono::steady_clock::now());
		end = link.free_at = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(takes);
	}
	std::this_thread::sleep_until(end);
}

} // namespace

// A MB/s is a byte a µs.
void pass_link(int device, bool home, size_t bytes)
{
	if (device >= fake_cuda_linked)
		return;
	while (fake_cuda.link_stops[device][home])
		std::this_thread::sleep_for(std::chrono::microseconds(100));
	fake_cuda.carried[device][home] += bytes;
	const unsigned rate = fake_cuda.link_rate, others = fake_cuda.others_share[device][home];
	if (rate)
		pass(link_of(device, home), double(bytes) / rate / (1 - std::min(others, 99u) / 100.0));
}

void pass_peer_link(int from, int to, size_t bytes)
{
	if (from >= fake_cuda_linked || to >= fake_cuda_linked)
		return;
	fake_cuda.peers_carried[from][to] += bytes;
	if (const unsigned rate = fake_cuda.peer_rate)
		pass(peer_link_of(from, to), double(bytes) / rate);
}

} // namespace het
