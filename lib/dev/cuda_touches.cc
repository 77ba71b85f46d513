// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_touches.h"

#include "dev/cuda_copy.h"
#include "os/clock.h"

#include <algorithm>

namespace het
{

namespace
{

// After so long a wait kernels bring what is touched, for so many times as long, and not longer than that.
constexpr uint64_t long_wait_ns = 5'000'000, times = 100, longest_ns = 10'000'000'000;
// More than this is no touch, and would be missed in the read-ahead that is under way meanwhile.
constexpr size_t most = 1 << 20;

} // namespace

void cuda_touches::open(const cuda_api &cu, cu_context context, cu_function kernel)
{
	for (place &p : places_) {
		if (!p.hand.open(cu, context, kernel))
			continue;
		close();
		return;
	}
	is_open_.store(true, std::memory_order_release);
}

void cuda_touches::close()
{
	is_open_ = false;
	for (place &p : places_)
		p.hand.close();
}

void cuda_touches::waited(uint64_t ns)
{
	if (ns > long_wait_ns)
		until_.store(now_ns() + std::min(longest_ns, times * ns), std::memory_order_relaxed);
}

// Where others' kernels have the multiprocessors the engine is to be asked all the same.
bool cuda_touches::read_by(cuda_hand &hand, const cuda_place &from, const transfer &piece)
{
	if (!hand.is_idle() || hand.start(on_host(piece.host), from, piece.size))
		return false;
	const uint64_t end = now_ns() + beginning_ns;
	int err = hand.look();
	for (; err == cu_error_not_ready && (now_ns() < end || hand.has_begun()); err = hand.look())
		cpu_pause();
	if (!err)
		hand.next();
	else
		hand.take_back();
	return !err;
}

bool cuda_touches::read(const cuda_place &from, const transfer &piece)
{
	if (!is_open() || now_ns() >= until_.load(std::memory_order_relaxed) || !piece.pinned || piece.size > most ||
	    (reinterpret_cast<uintptr_t>(piece.host) | from.at) % cuda_hand::alignment)
		return false;
	for (place &p : places_) {
		if (p.lent.exchange(true, std::memory_order_acquire))
			continue;
		const bool done = read_by(p.hand, from, piece);
		p.lent.store(false, std::memory_order_release);
		if (!done)
			until_.store(0, std::memory_order_relaxed);
		return done;
	}
	return false;
}

} // namespace het
