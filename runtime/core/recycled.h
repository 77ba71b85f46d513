// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory of objects that come and go all the time, and are too large for what malloc() keeps for a thread: of these it
// merges and splits pieces each time. Some are kept for the next ones.
#pragma once

#include <atomic>
#include <cstddef>
#include <new>

namespace het::rt
{

// A final class has its operators from this, and no further members. Any thread may use them; there is no lock, as each
// place is emptied and filled by one exchange.
template <class T> class recycled
{
      public:
	static void *operator new(size_t n, const std::nothrow_t &) noexcept
	{
		for (std::atomic<void *> &place : kept) {
			if (!place.load(std::memory_order_relaxed))
				continue;
			if (void *p = place.exchange(nullptr, std::memory_order_acquire))
				return p;
		}
		return ::operator new(n, std::nothrow);
	}
	static void operator delete(void *p) noexcept
	{
		for (std::atomic<void *> &place : kept) {
			void *none = nullptr;
			if (!place.load(std::memory_order_relaxed) && are_kept &&
			    place.compare_exchange_strong(none, p, std::memory_order_release))
				return;
		}
		::operator delete(p);
	}
	// A constructor that throws calls this.
	static void operator delete(void *p, const std::nothrow_t &) noexcept { operator delete(p); }

      private:
// The address sanitizer is to see who uses one that is gone.
#if defined(__SANITIZE_ADDRESS__)
	static constexpr bool are_kept = false;
#elif defined(__has_feature)
	static constexpr bool are_kept = !__has_feature(address_sanitizer);
#else
	static constexpr bool are_kept = true;
#endif
	static constexpr size_t most = 8;

	inline static constinit std::atomic<void *> kept[most] = {};
};

} // namespace het::rt
