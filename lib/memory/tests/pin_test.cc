// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies are registered once. Meanwhile others do without that, or wait for it if they can't.
#include "memory/pin.h"

#include "memory/kernel.h"
#include "small_library.h"

#include <thread>

using namespace het;

namespace
{

class pinning : public small_library
{
      protected:
	// A kernel begins on device 0, and the body is being registered for it until may_end is set.
	pinning()
	{
		EXPECT_EQ(link(), 0);
		device_[0]->during_pin = [this] {
			has_begun.store(true);
			has_begun.notify_all();
			may_end.wait(false);
		};
		kernel = std::thread([this] {
			EXPECT_EQ(begin_kernel(linked(), whole(), kernel_mode::read_only), 0);
			EXPECT_EQ(end_kernel(linked(), whole(), nullptr), 0);
		});
		has_begun.wait(false);
	}
	~pinning() override { kernel.join(); }
	void let_it_end()
	{
		may_end.store(true);
		may_end.notify_all();
	}

	std::atomic<bool> has_begun{false}, may_end{false};
	std::thread kernel;
};

TEST_F(pinning, who_can_do_without_goes_on)
{
	{
		caller_guard g(linked());
		pin_body(linked(), g, 0);
		EXPECT_FALSE(is_pinned(linked(), 0));
	}
	let_it_end();
}

TEST_F(pinning, who_can_not_waits_for_it)
{
	std::atomic<bool> is_over{false}, has_it{false};
	std::thread other([&] {
		caller_guard g(linked());
		visit v(linked(), g);
		pin_body_for_good(linked(), g, 0);
		has_it.store(is_pinned(linked(), 0));
		is_over.store(true);
	});
	while (!linked().waiters.load() && !is_over.load())
		std::this_thread::yield();
	EXPECT_FALSE(is_over.load());
	let_it_end();
	other.join();
	EXPECT_TRUE(has_it.load());
}

} // namespace
