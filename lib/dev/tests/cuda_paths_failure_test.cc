// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Paths fail, and peers lend nothing: copies are right all the same.
#include "dev/tests/cuda_paths_fixture.h"

namespace het::test
{

// Any call of a relay, or what it has started, fails once: the bytes are right all the same.
TEST_F(cuda_paths, a_relay_that_fails_is_taken_out)
{
	for (const char *symbol : {"cuMemcpyPeerAsync", "work of cuMemcpyPeerAsync", "cuStreamWaitEvent"}) {
		for (int after : {0, 1}) {
			open(2);
			pair p(*this, 0, 8 * mib);
			fail(symbol, after);
			for (unsigned i = 0; i < 2; i++)
				to_and_fro(p, 0, i);
			EXPECT_EQ(fake_->fail_symbol, nullptr) << symbol << " was not called";
			if (after)
				continue;
			transfer t = p.all();
			fake_->fails_always = true;
			fail(symbol, 0);
			// On a slow machine not every copy takes the relay. It is out when no copy tries it any more.
			for (unsigned i = 0, silent = 0; i < 32 && silent < 3; i++) {
				const int tries = fake_->fail_after;
				EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0);
				silent = fake_->fail_after == tries ? silent + 1 : 0;
			}
			fake_->fail_symbol = nullptr;
			fake_->fails_always = false;
			fake_->peer_copies = 0;
			EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0);
			EXPECT_EQ(fake_->peer_copies, 0) << "after it failed again and again";
		}
	}
}

// The failure of the direct path is the copy's; the next one works.
TEST_F(cuda_paths, a_direct_path_that_fails)
{
	for (const char *symbol : {"cuMemcpyHtoDAsync_v2", "work of cuMemcpyHtoDAsync_v2"}) {
		open(2);
		pair p(*this, 0, 16 * mib);
		transfer t = p.all();
		p.fill(1);
		fail(symbol, 0);
		EXPECT_NE(devices_[0]->write(0, {&t, 1}), 0);
		EXPECT_EQ(fake_->fail_symbol, nullptr);
	}
}

TEST_F(cuda_paths, a_peer_without_memory_or_streams_lends_nothing)
{
	for (const char *symbol : {"cuMemAlloc_v2", "cuStreamCreateWithPriority", "cuEventCreate"}) {
		open(1);
		fake_->fails_always = true;
		// The lanes of the second device come first, with twenty events each.
		fail(symbol, symbol[2] == 'M' ? 0 : symbol[2] == 'S' ? int(lanes) : 20 * int(lanes));
		cuda_api api;
		int error = load_cuda(api, HET_FAKE_CUDA);
		devices_[1] = make_cuda_device(api, 1, reinterpret_cast<void *>(uintptr_t{1}), lanes, &error);
		fake_->fail_symbol = nullptr;
		fake_->fails_always = false;
		ASSERT_NE(devices_[1], nullptr);
		pair p(*this, 0, 8 * mib);
		for (unsigned i = 0; i < 3; i++)
			to_and_fro(p, 0, i);
		EXPECT_EQ(fake_->peer_copies, 0) << symbol;
	}
}

TEST_F(cuda_paths, a_peer_that_leaves_is_not_used)
{
	open(2);
	pair p(*this, 0, 16 * mib);
	to_and_fro(p, 0, 1);
	devices_[1].reset();
	fake_->peer_copies = 0;
	for (unsigned i = 0; i < 4; i++)
		to_and_fro(p, 0, i);
	EXPECT_EQ(fake_->peer_copies, 0);
}

} // namespace het::test
