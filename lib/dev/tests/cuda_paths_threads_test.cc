// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Many threads copy at once, over links that they share, while devices come and go and calls fail.
#include "dev/cuda_member.h"
#include "dev/tests/cuda_paths_fixture.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace het::test
{

namespace
{

constexpr size_t least = 8 * mib;

class cuda_paths_threads : public cuda_paths
{
      protected:
	// Copies any bytes of the pair, in some parts, to or from the device, and the same with memcpy() between the
	// host's memory and what the device should have. What fails because of its direct path is done again.
	void copy_at_random(pair &p, std::vector<char> &expected, std::minstd_rand &random)
	{
		const size_t size = least + random() % (p.host.size() - least),
			     begin = random() % (p.host.size() - size);
		const bool home = random() % 2;
		p.fill(unsigned(random()));
		std::vector<char> host = p.host;
		std::vector<transfer> parts;
		for (size_t at = begin, n = 0; at < begin + size; at += n) {
			n = std::min(begin + size - at, least / 2 + random() % least);
			parts.push_back({p.all().devbuf, at, p.host.data() + at, n, true});
		}
		memcpy((home ? host : expected).data() + begin, (home ? expected : host).data() + begin, size);
		std::shuffle(parts.begin(), parts.end(), random);
		device &d = *devices_[p.gpu];
		unsigned tries = 0;
		while ((home ? d.read(0, parts) : d.write(0, parts)) != 0)
			ASSERT_LT(++tries, 100u) << last_error();
		ASSERT_TRUE(p.host == host);
	}

	// Something of a copy to the pair's device, 0, is stuck on device 1. That one does @wait, for this copy, in a
	// thread; device 2 comes meanwhile, and lends its memory. Then the copy goes on.
	template <typename F> void with_a_copy_that_is_stuck(pair &p, F &&wait)
	{
		p.fill(1);
		fake_->link_stops[1][0] = true;
		std::atomic<bool> is_written{false};
		std::thread writing([&] {
			transfer t = p.all();
			EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0) << last_error();
			is_written = true;
		});
		wait_until_lent(1);
		EXPECT_FALSE(is_written) << "of what is relayed nothing comes";
		std::thread waiting(wait);
		std::this_thread::sleep_for(std::chrono::milliseconds(20));
		open_one(2);
		EXPECT_EQ(devices_[2]->lent_memory(), 32 * mib);
		EXPECT_TRUE(the_cuda_table().members[2]) << "the copy under way speaks of number 1";
		fake_->link_stops[1][0] = false;
		waiting.join();
		writing.join();
		EXPECT_TRUE(p.on_device() == p.host);
	}

	// Does the same from a device to another, and there from its memory to the host.
	void copy_between_at_random(pair &from, pair &to, std::vector<char> &expected, std::minstd_rand &random)
	{
		const size_t size = least + random() % (from.host.size() - least),
			     at = random() % (from.host.size() - size), there = random() % (to.host.size() - size);
		transfer t = from.all();
		from.fill(unsigned(random()));
		unsigned tries = 0;
		while (devices_[from.gpu]->write(1, {&t, 1}) != 0)
			ASSERT_LT(++tries, 100u) << last_error();
		while (devices_[to.gpu]->copy_from(1, to.all().devbuf, there, *devices_[from.gpu], from.all().devbuf,
						   at, size) != 0)
			ASSERT_LT(++tries, 200u) << last_error();
		memcpy(expected.data() + there, from.host.data() + at, size);
		ASSERT_TRUE(to.on_device() == expected);
	}
};

} // namespace

// Others copy through it meanwhile.
TEST_F(cuda_paths_threads, a_device_that_keeps_its_memory_lends_none)
{
	open(3);
	pair p(*this, 0, 16 * mib);
	EXPECT_EQ(devices_[1]->lent_memory(), 32 * mib);
	std::thread keeping([this] {
		std::this_thread::sleep_for(std::chrono::milliseconds(2));
		devices_[1]->keep_memory();
	});
	for (unsigned i = 0; i < 4; i++)
		to_and_fro(p, 0, i);
	keeping.join();
	EXPECT_EQ(devices_[1]->lent_memory(), 0u);
	devices_[2]->keep_memory();
	fake_->peer_copies = 0;
	to_and_fro(p, 0, 9);
	EXPECT_EQ(fake_->peer_copies, 0);
	EXPECT_EQ(devices_[0]->lent_memory(), 32 * mib);
	devices_[2].reset();
	open_one(2);
	EXPECT_EQ(devices_[2]->lent_memory(), 32 * mib) << "of a device that is new";
	EXPECT_EQ(devices_[1]->lent_memory(), 0u);
}

// A copy goes through it and does not get on. Another device comes meanwhile, whose memory is lent.
TEST_F(cuda_paths_threads, a_device_that_waits_for_its_memory_holds_nobody_up)
{
	open(2);
	pair p(*this, 0, 16 * mib);
	with_a_copy_that_is_stuck(p, [this] { devices_[1]->keep_memory(); });
	EXPECT_EQ(devices_[1]->lent_memory(), 0u);
}

// The same where it goes. Its number is another's when the copy has ended.
TEST_F(cuda_paths_threads, a_device_that_leaves_holds_nobody_up)
{
	open(2);
	pair p(*this, 0, 16 * mib);
	with_a_copy_that_is_stuck(p, [this] { devices_[1].reset(); });
	open_one(1);
	EXPECT_EQ(devices_[1]->lent_memory(), 32 * mib);
	for (unsigned i = 2; i < 5; i++)
		to_and_fro(p, 0, i);
	pair q(*this, 1, 16 * mib);
	to_and_fro(q, 0, 5);
}

// Three devices copy at once, while calls and what they have started fail, and what is in streams takes longer.
TEST_F(cuda_paths_threads, random_copies_with_failures_and_delays)
{
	constexpr const char *symbols[] = {"cuMemcpyPeerAsync", "cuStreamWaitEvent", "cuMemcpyHtoDAsync_v2",
					   "cuMemcpyDtoHAsync_v2"};
	const unsigned rounds = getenv("HET_TEST_FULL") ? 100 : 2;
	std::minstd_rand random(11);
	for (unsigned round = 0; round < rounds; round++) {
		open(3);
		fake_->slow_us = unsigned(random() % 200);
		std::atomic<unsigned> running{3};
		std::vector<std::thread> threads;
		for (unsigned gpu = 0; gpu < 3; gpu++) {
			threads.emplace_back([this, gpu, round, seed = unsigned(random()), &running] {
				std::minstd_rand own(seed);
				pair p(*this, gpu, 9 * mib + 123);
				p.fill(seed);
				transfer t = p.all();
				std::vector<char> expected = p.host;
				while (devices_[gpu]->write(0, {&t, 1}) != 0)
					;
				pair q(*this, (gpu + 1) % 3, 8 * mib + 45);
				for (unsigned i = 0; i < 2; i++) {
					copy_at_random(p, expected, own);
					if (round % 2 == 0)
						copy_between_at_random(q, p, expected, own);
				}
				EXPECT_TRUE(p.on_device() == expected);
				running--;
			});
		}
		for (unsigned i = 0; running; i++) {
			// A stream in which something has failed stays so, as the driver's do: where those of the
			// direct path are such, every copy would fail.
			fail(round % 2 && i == 3 ? "work of cuMemcpyPeerAsync" : symbols[random() % std::size(symbols)],
			     int(random() % 40));
			std::this_thread::sleep_for(std::chrono::milliseconds(5));
		}
		for (auto &t : threads)
			t.join();
		fake_->fail_symbol = nullptr;
		fake_->slow_us = 0;
	}
	EXPECT_GT(fake_->peer_copies, 0);
}

// All devices copy both ways at once, two threads each, while one of them comes and goes.
TEST_F(cuda_paths_threads, all_at_once)
{
	open(4);
	std::vector<std::thread> threads;
	for (unsigned gpu = 0; gpu < 3; gpu++) {
		for (unsigned lane = 0; lane < 2; lane++) {
			threads.emplace_back([this, gpu, lane] {
				pair p(*this, gpu, (3 + 5 * lane) * mib + 123);
				for (unsigned i = 0; i < 3; i++)
					to_and_fro(p, lane, 100 * gpu + 10 * lane + i);
			});
		}
	}
	for (unsigned i = 0; i < 3; i++) {
		devices_[3].reset();
		open_one(3);
	}
	for (auto &t : threads)
		t.join();
	EXPECT_GT(fake_->peer_copies, 0);
}

} // namespace het::test
