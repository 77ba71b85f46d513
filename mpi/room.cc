// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "room.h"

#include <algorithm>
#include <mutex>
#include <sys/mman.h>
#include <vector>

namespace hetmpi
{

namespace
{

constexpr size_t least = 64 << 10, largest_kept = 8 << 20, most_kept = 8;

struct spare_rooms {
	std::mutex lock;
	std::vector<room> all;
};

// The process may use MPI until its last destructors run.
spare_rooms &spare()
{
	static auto *s = new spare_rooms;
	return *s;
}

room take_spare(size_t n)
{
	spare_rooms &s = spare();
	std::lock_guard guard(s.lock);
	auto fits = [n](const room &r) { return r.size() >= n; };
	auto found = std::find_if(s.all.begin(), s.all.end(), fits);
	if (found == s.all.end())
		return {};
	std::swap(*found, s.all.back());
	room r = std::move(s.all.back());
	s.all.pop_back();
	return r;
}

} // namespace

room room::of(size_t n)
{
	n = std::max(n, least);
	if (room r = n <= largest_kept ? take_spare(n) : room())
		return r;
	// Of a type with gaps only the pages with elements are used.
	void *at = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at == MAP_FAILED ? room() : room(at, n);
}

room::~room()
{
	if (!at_)
		return;
	if (size_ <= largest_kept) {
		spare_rooms &s = spare();
		std::lock_guard guard(s.lock);
		if (s.all.size() < most_kept) {
			s.all.push_back(room(std::exchange(at_, nullptr), size_));
			return;
		}
	}
	munmap(at_, size_);
}

} // namespace hetmpi
