// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Helpers come and go under copies, while others' devices do.
#include "dev/tests/cuda_helpers_fixture.h"

#include <atomic>
#include <thread>

namespace het::test
{

// A piece does not get on by the link of a helper. Its GPU becomes a device, which waits for this piece, while others
// come and go.
TEST_F(cuda_helpers_of, stay_until_what_they_carry_is_over)
{
	open_asking("static,1", {0});
	pair p(*this, 0, 16 * mib);
	p.fill(1);
	fake_->link_stops[1][0] = true;
	std::atomic<bool> is_written{false}, is_open{false};
	std::thread writing([&] {
		transfer t = p.all();
		EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0) << last_error();
		is_written = true;
	});
	wait_until_lent(1);
	std::thread opening([&] {
		open_one(1);
		is_open = true;
	});
	while (helping())
		std::this_thread::yield();
	open_one(2);
	devices_[2].reset();
	EXPECT_FALSE(is_written);
	EXPECT_FALSE(is_open);
	fake_->link_stops[1][0] = false;
	opening.join();
	writing.join();
	EXPECT_TRUE(p.on_device() == p.host);
	to_and_fro(p, 0, 2);
}

// Two threads copy to and from device 0, others have devices 1 to 3 come and go, which are helpers meanwhile.
TEST_F(cuda_helpers_of, come_and_go_under_copies)
{
	open_asking("static,all", {0});
	std::atomic<bool> ends{false};
	std::vector<std::thread> others;
	for (unsigned gpu = 1; gpu < 4; gpu++) {
		others.emplace_back([&, gpu] {
			while (!ends) {
				open_one(gpu);
				devices_[gpu].reset();
			}
		});
	}
	std::vector<std::thread> copying;
	for (unsigned lane : {0, 1}) {
		copying.emplace_back([&, lane] {
			pair p(*this, 0, 9 * mib);
			for (unsigned i = 0; i < 4; i++)
				to_and_fro(p, lane, 10 * lane + i);
		});
	}
	for (std::thread &t : copying)
		t.join();
	ends = true;
	for (std::thread &t : others)
		t.join();
	devices_[0].reset();
	EXPECT_EQ(helping(), 0u);
	EXPECT_EQ(fake_->contexts_held, 0);
}

} // namespace het::test
