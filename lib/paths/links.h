// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A copy between the host and a GPU takes a path, and a path is made of links: the GPU's own PCIe link, or that of
// another GPU and the link between the two. One between two GPUs takes the link that joins them, those to and from a
// third GPU, or both PCIe links, by way of the host. This is pure; nothing here copies anything.
//
// A path is named by a GPU: that whose PCIe link it takes, so the direct path of GPU 2 is path 2. Between two GPUs the
// direct path has the name of the one that the bytes go to, the host's way that of the one from which they come, and
// another the GPU's between. Links carry so many bytes under way, of which everybody in the process knows; what other
// processes send is seen by latency alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace het::paths
{

inline constexpr unsigned most_gpus = 8;
inline constexpr unsigned most_paths = most_gpus;

// Bit n stands for path n.
using path_set = uint8_t;

constexpr path_set only(unsigned path)
{
	return path_set(1u << path);
}

enum class direction : uint8_t { to_device, to_host, between };

struct journey {
	unsigned gpu; // and the host, or the peer, from which bytes come
	direction d;
	unsigned peer = most_gpus;
};

// Numbers of links: first the GPUs' PCIe links, each way, then those from GPU to GPU.
using link = uint8_t;
inline constexpr unsigned most_links = 2 * most_gpus + most_gpus * most_gpus;

constexpr link pcie_link(unsigned gpu, direction d)
{
	return link(2 * gpu + (d == direction::to_host));
}

constexpr link peer_link(unsigned from, unsigned to)
{
	return link(2 * most_gpus + most_gpus * from + to);
}

// A route is the links of a path, in the order in which bytes pass them.
struct route {
	link links[2];
	unsigned count;
};

constexpr route route_of(unsigned gpu, unsigned path, direction d)
{
	if (path == gpu)
		return {{pcie_link(gpu, d), 0}, 1};
	if (d == direction::to_device)
		return {{pcie_link(path, d), peer_link(path, gpu)}, 2};
	return {{peer_link(gpu, path), pcie_link(path, d)}, 2};
}

constexpr route route_of(const journey &j, unsigned path)
{
	if (j.d != direction::between)
		return route_of(j.gpu, path, j.d);
	if (path == j.gpu)
		return {{peer_link(j.peer, j.gpu), 0}, 1};
	if (path == j.peer)
		return {{pcie_link(j.peer, direction::to_host), pcie_link(j.gpu, direction::to_device)}, 2};
	return {{peer_link(j.peer, path), peer_link(path, j.gpu)}, 2};
}

// What this process has under way on each link. Any thread may call anything.
class traffic
{
      public:
	void add(const route &r, size_t bytes)
	{
		for (unsigned i = 0; i < r.count; i++)
			under_way_[r.links[i]].fetch_add(bytes, std::memory_order_relaxed);
	}
	void remove(const route &r, size_t bytes)
	{
		for (unsigned i = 0; i < r.count; i++)
			under_way_[r.links[i]].fetch_sub(bytes, std::memory_order_relaxed);
	}
	// Returns what is before a new piece on the fullest of the links.
	uint64_t ahead(const route &r) const
	{
		uint64_t most = 0;
		for (unsigned i = 0; i < r.count; i++) {
			uint64_t bytes = under_way_[r.links[i]].load(std::memory_order_relaxed);
			most = bytes > most ? bytes : most;
		}
		return most;
	}

      private:
	std::atomic<uint64_t> under_way_[most_links] = {};
};

} // namespace het::paths
