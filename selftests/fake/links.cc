// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake devices' PCIe links are here: each direction serves what comes in order, at its rate.
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

} // namespace

void pass_link(int device, bool home, size_t bytes)
{
	if (device >= fake_cuda_linked)
		return;
	fake_cuda.carried[device][home] += bytes;
	unsigned rate = fake_cuda.link_rate, others = fake_cuda.others_share[device][home];
	if (!rate)
		return;
	// A MB/s is a byte a µs.
	std::chrono::duration<double, std::micro> takes(double(bytes) / rate / (1 - std::min(others, 99u) / 100.0));
	one_way &link = link_of(device, home);
	time_point end;
	{
		std::lock_guard g(link.lock);
		time_point begin = std::max(link.free_at, std::chrono::steady_clock::now());
		end = link.free_at = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(takes);
	}
	std::this_thread::sleep_until(end);
}

} // namespace het
