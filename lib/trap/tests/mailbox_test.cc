// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/mailbox.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace het;

namespace
{

constexpr wait_policy sleep_at_once{0};

constexpr range page(uintptr_t n)
{
	return {n * 4096, (n + 1) * 4096};
}

// Touchers and resolvers block all signals in real life, so they do it here.
template <class F> std::thread quiet_thread(F run)
{
	return std::thread([run] {
		signals_blocked all;
		run();
	});
}

void sleep_us(unsigned us)
{
	std::this_thread::sleep_for(std::chrono::microseconds(us));
}

TEST(mailbox, a_touch_reaches_the_resolver_and_its_completion_the_toucher)
{
	mailbox box;
	std::atomic<bool> back{false};
	auto toucher = quiet_thread([&] {
		box.hand_over({page(3).begin + 17, true});
		back.store(true);
	});
	touch t;
	ASSERT_TRUE(box.next(t, sleep_at_once));
	EXPECT_EQ(t.addr, page(3).begin + 17);
	EXPECT_TRUE(t.write);
	box.complete(page(2));
	box.complete(page(4));
	sleep_us(2000);
	EXPECT_FALSE(back.load());
	box.complete(page(3));
	toucher.join();
	EXPECT_TRUE(back.load());
}

TEST(mailbox, a_touch_can_be_completed_before_a_resolver_took_it)
{
	mailbox box;
	std::atomic<bool> back{false};
	auto toucher = quiet_thread([&] {
		box.hand_over({page(1).begin, false});
		back.store(true);
	});
	while (!back.load())
		box.complete(page(1));
	toucher.join();
	box.interrupt();
	touch t;
	EXPECT_FALSE(box.next(t, sleep_at_once)) << "the letter is gone";
}

TEST(mailbox, one_completion_serves_everybody_in_the_range)
{
	constexpr unsigned touchers = 100;
	mailbox box;
	std::atomic<unsigned> back{0};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < touchers; i++)
		threads.push_back(quiet_thread([&, i] {
			box.hand_over({page(8).begin + i * 32, bool(i & 1)});
			back.fetch_add(1);
		}));
	touch t;
	for (unsigned i = 0; i < touchers; i++)
		ASSERT_TRUE(box.next(t, sleep_at_once));
	EXPECT_EQ(back.load(), 0u);
	box.complete(page(8));
	for (auto &th : threads)
		th.join();
	EXPECT_EQ(back.load(), touchers);
}

TEST(mailbox, an_interruption_ends_one_wait)
{
	mailbox box;
	touch t;
	box.interrupt();
	EXPECT_FALSE(box.next(t, sleep_at_once));
	std::atomic<unsigned> ended{0};
	auto resolver = quiet_thread([&] {
		touch u;
		for (unsigned i = 0; i < 2; i++) {
			EXPECT_FALSE(box.next(u, {i * 10000000ull})); // sleeps first, and spins the second time
			ended.fetch_add(1);
		}
	});
	for (unsigned i = 1; i <= 2; i++) {
		sleep_us(2000);
		EXPECT_EQ(ended.load(), i - 1);
		box.interrupt();
		while (ended.load() < i)
			std::this_thread::yield();
	}
	resolver.join();
}

TEST(mailbox, a_letter_of_a_forked_parent_is_gone)
{
	mailbox box;
	std::atomic<bool> done{false};
	auto toucher = quiet_thread([&] {
		while (!done.load())
			box.hand_over({page(1).begin, false});
	});
	touch t;
	ASSERT_TRUE(box.next(t, sleep_at_once));
	pid_t child = fork();
	if (!child) {
		box.forked_child();
		box.complete(page(1));
		box.interrupt();
		_exit(box.next(t, sleep_at_once));
	}
	int status;
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	done.store(true);
	box.complete(page(1));
	toucher.join();
}

// Resolvers take letters side by side while others complete them, taken or not: whoever reads one that is done reads a
// stack that is used for something else.
TEST(mailbox, letters_come_and_go_beside_several_resolvers)
{
	constexpr unsigned touchers = 4, resolvers = 3, rounds = 3000;
	mailbox box;
	std::atomic<unsigned> finished{0}, wrong{0};
	std::vector<std::thread> threads;
	auto goes_on = [&] { return finished.load() < touchers; };
	for (unsigned i = 0; i < touchers; i++)
		threads.push_back(quiet_thread([&, i] {
			for (unsigned n = 0; n < rounds; n++)
				box.hand_over({page(i).begin + n % 4096, false});
			finished.fetch_add(1);
		}));
	for (unsigned i = 0; i < resolvers; i++)
		threads.push_back(quiet_thread([&] {
			for (touch t; goes_on();) {
				if (!box.next(t, {.sleeps = false})) {
					std::this_thread::yield();
					continue;
				}
				if (t.addr >= page(touchers).begin)
					wrong.fetch_add(1);
				box.complete(page(t.addr / 4096));
			}
		}));
	threads.push_back(quiet_thread([&] {
		while (goes_on()) {
			box.complete({0, page(touchers).begin});
			std::this_thread::yield();
		}
	}));
	for (auto &t : threads)
		t.join();
	EXPECT_EQ(wrong.load(), 0u);
}

// A storm has pages that are valid or not. A toucher needs its page valid, and then makes it invalid for the next one,
// so it hangs if a letter is lost. Resolvers take turns in listening, as in the library.
struct storm {
	static constexpr unsigned pages = 7, touchers = 24, resolvers = 3;
	mailbox box;
	std::atomic<bool> valid[pages] = {};
	std::atomic<unsigned> finished{0}, returned{0}, resolved{0};
	std::mutex listening;

	void touch_pages(unsigned seed, unsigned rounds)
	{
		for (unsigned i = 0; i < rounds; i++) {
			unsigned p = (seed * 31 + i * 17) % pages;
			while (!valid[p].exchange(false)) {
				box.hand_over({page(p).begin + seed, false});
				returned.fetch_add(1);
			}
			if (i % 16 == 0)
				sleep_us(50);
		}
		if (finished.fetch_add(1) + 1 == touchers)
			box.interrupt();
	}

	bool listen(touch &t, uint64_t spin_ns)
	{
		std::lock_guard g(listening);
		while (finished.load() < touchers)
			if (box.next(t, {spin_ns}))
				return true;
		return false;
	}

	void resolve(uint64_t spin_ns)
	{
		for (touch t; listen(t, spin_ns);) {
			unsigned p = unsigned(t.addr / 4096);
			resolved.fetch_add(1);
			valid[p].store(true);
			box.complete(page(p));
		}
	}
};

class mailbox_storm : public testing::TestWithParam<uint64_t>
{
};

TEST_P(mailbox_storm, loses_nothing)
{
	storm s;
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < storm::resolvers; i++)
		threads.push_back(quiet_thread([&] { s.resolve(GetParam()); }));
	for (unsigned i = 0; i < storm::touchers; i++)
		threads.push_back(quiet_thread([&, i] { s.touch_pages(i, 400); }));
	for (auto &t : threads)
		t.join();
	EXPECT_LE(s.resolved.load(), s.returned.load()) << "no letter is returned twice by next()";
}

INSTANTIATE_TEST_SUITE_P(spin_ns, mailbox_storm, testing::Values(0, 20000));

} // namespace
