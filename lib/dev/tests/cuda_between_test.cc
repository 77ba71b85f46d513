// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Copies from one CUDA device to another one take several ways at once.
#include "dev/tests/cuda_paths_fixture.h"
#include "paths/splitter.h"

namespace het::test
{

// From device 0 to device 1 there are three ways: directly, by device 2, and by the host.
TEST_F(cuda_paths, between_devices_a_third_one_and_the_host_carry_parts)
{
	open(3);
	pair from(*this, 0, 24 * mib), to(*this, 1, 24 * mib);
	from.fill(1);
	transfer t = from.all();
	EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0);
	fake_->link_rate = fake_->peer_rate = 400;
	auto &peers = fake_->peers_carried;
	unsigned long before[] = {peers[0][1], peers[0][2], peers[2][1], fake_->carried[0][1], fake_->carried[1][0]};
	EXPECT_EQ(devices_[1]->copy_from(0, to.all().devbuf, 0, *devices_[0], from.all().devbuf, 0, 24 * mib), 0);
	fake_->link_rate = fake_->peer_rate = 0;
	unsigned long direct = peers[0][1] - before[0], third = peers[0][2] - before[1],
		      host = fake_->carried[0][1] - before[3];
	for (unsigned long part : {direct, third, host})
		EXPECT_GE(part, paths::splitter::least_piece);
	EXPECT_EQ(direct + third + host, 24 * mib);
	EXPECT_EQ(peers[2][1] - before[2], third);
	EXPECT_EQ(fake_->carried[1][0] - before[4], host);
	EXPECT_TRUE(to.on_device() == from.host);
}

TEST_F(cuda_paths, between_devices_small_copies_go_directly)
{
	open(3);
	pair from(*this, 0, 8 * mib), to(*this, 1, 8 * mib);
	unsigned long before = fake_->peers_carried[0][1];
	for (size_t n : {8 * mib - 1, 4 * mib, size_t{1}})
		EXPECT_EQ(devices_[1]->copy_from(0, to.all().devbuf, 0, *devices_[0], from.all().devbuf, 0, n), 0);
	EXPECT_EQ(fake_->peers_carried[0][1] - before, 12 * mib);
}

// What only the ways by the host and by the third device call fails, once and always.
TEST_F(cuda_paths, between_devices_a_way_that_fails_is_taken_out)
{
	for (const char *symbol : {"cuStreamWaitEvent", "work of cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2"}) {
		for (bool always : {false, true}) {
			// Calls that fail each time are like work that does, and take as long.
			if (always && symbol[0] != 'w' && !getenv("HET_TEST_FULL"))
				continue;
			open(3);
			pair from(*this, 0, 8 * mib), to(*this, 1, 8 * mib);
			for (unsigned seed = 0; seed < (always ? 2u : 1u); seed++) {
				from.fill(seed);
				transfer t = from.all();
				EXPECT_EQ(devices_[0]->write(1, {&t, 1}), 0);
				fake_->fails_always = always;
				fail(symbol, always ? 0 : 1);
				EXPECT_EQ(devices_[1]->copy_from(0, to.all().devbuf, 0, *devices_[0], from.all().devbuf,
								 0, 8 * mib),
					  0);
				EXPECT_TRUE(always || seed || !fake_->fail_symbol) << symbol << " was not called";
				fake_->fail_symbol = nullptr;
				fake_->fails_always = false;
				EXPECT_TRUE(to.on_device() == from.host) << symbol;
			}
		}
	}
}

} // namespace het::test
