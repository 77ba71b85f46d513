// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// GPUs that the process does not use lend their links if HET_PATHS asks for them, and for nothing else.
#include "dev/tests/cuda_helpers_fixture.h"

namespace het::test
{

TEST_F(cuda_helpers_of, nobody_help_who_are_not_asked)
{
	for (const char *asks :
	     {static_cast<const char *>(nullptr), "static", "latency", "direct", "direct,all", "direct,1"}) {
		open_asking(asks, {0});
		EXPECT_EQ(helping(), 0u);
		EXPECT_EQ(fake_->contexts_held, 1);
		EXPECT_EQ(fake_->streams, streams_ + int(lanes));
		pair p(*this, 0, 8 * mib);
		EXPECT_EQ(carrying(p), alone);
	}
}

TEST_F(cuda_helpers_of, who_are_asked_lend_their_links)
{
	struct {
		const char *asks;
		std::initializer_list<unsigned> devices;
		unsigned helpers;
	} rows[] = {{"static,1", {0}, 0b0010}, {"2,static,0", {3}, 0b0101},    {"static,all", {2}, 0b1011},
		    {"static,0", {0}, 0},      {"static,all", {0, 3}, 0b0110}, {"static,1,2", {1, 0}, 0b0100}};
	for (const auto &row : rows) {
		open_asking(row.asks, row.devices);
		EXPECT_EQ(helping(), row.helpers) << row.asks;
		EXPECT_EQ(fake_->contexts_held, int(row.devices.size()) + std::popcount(row.helpers));
		for (unsigned gpu : row.devices) {
			pair p(*this, gpu, large);
			unsigned all = row.helpers;
			for (unsigned other : row.devices)
				all |= 1u << other;
			EXPECT_EQ(carrying(p), (carriers{all, all})) << row.asks;
		}
	}
}

// With the host both ways by itself and by the helper, which has a number of CUDA's alone. None is from the helper.
TEST_F(cuda_helpers_of, what_they_carry_is_known)
{
	open_asking("static,2", {0});
	pair p(*this, 0, large);
	to_and_fro(p, 0, 1);
	path_report all[72];
	ASSERT_EQ(devices_[0]->report_paths(all), 4u);
	uint64_t carried[2] = {};
	for (const path_report &r : std::span(all, 4)) {
		EXPECT_NE(r.way, path_report::from_device);
		EXPECT_TRUE((r.by == 0 && r.ordinal == 0) || (r.by == no_device && r.ordinal == 2));
		carried[r.by == no_device] += r.carried;
	}
	EXPECT_EQ(carried[0] + carried[1], 2 * large);
	EXPECT_GT(carried[1], 0u);
	EXPECT_EQ(devices_[0]->lent_memory(), 32 * mib);
}

TEST_F(cuda_helpers_of, carry_between_two_devices)
{
	open_asking("static,3", {0, 1});
	pair from(*this, 0, 16 * mib), to(*this, 1, 16 * mib);
	from.fill(3);
	transfer t = from.all();
	ASSERT_EQ(devices_[0]->write(0, {&t, 1}), 0);
	const unsigned long before[] = {fake_->peers_carried[0][3], fake_->peers_carried[3][1]};
	ASSERT_EQ(devices_[1]->copy_from(0, to.all().devbuf, 0, *devices_[0], from.all().devbuf, 0, 16 * mib), 0);
	EXPECT_TRUE(to.on_device() == from.host);
	EXPECT_GT(fake_->peers_carried[0][3], before[0]);
	EXPECT_GT(fake_->peers_carried[3][1], before[1]);
}

// Its memory is the process' own business from then on, and when it leaves nobody helps in its place until another
// comes.
TEST_F(cuda_helpers_of, a_device_takes_the_place_of_a_helper)
{
	open_asking("static,all", {0});
	EXPECT_EQ(helping(), 0b1110u);
	open_one(1);
	EXPECT_EQ(helping(), 0b1100u);
	EXPECT_EQ(fake_->contexts_held, 4);
	pair p(*this, 0, large);
	EXPECT_EQ(carrying(p), (carriers{0b1111, 0b1111}));
	path_report all[72];
	const size_t n = devices_[0]->report_paths(all);
	EXPECT_EQ(std::ranges::count_if(std::span(all, n),
					[](auto &r) { return r.by == 1 && r.way != path_report::from_device; }),
		  2);
	devices_[1].reset();
	EXPECT_EQ(helping(), 0b1100u);
	const carriers later = carrying(p);
	EXPECT_EQ((later.to | later.home) & 0b0010, 0u);
	open_one(2);
	EXPECT_EQ(helping(), 0b1010u);
}

TEST_F(cuda_helpers_of, leave_with_the_last_device)
{
	open_asking("static,all", {0, 1});
	devices_[0].reset();
	EXPECT_EQ(helping(), 0b1100u);
	devices_[1].reset();
	EXPECT_EQ(helping(), 0u);
	EXPECT_EQ(fake_->contexts_held, 0);
	EXPECT_EQ(fake_->streams, streams_);
}

// Each call that opens one fails: it is told once, and copies do without it. When the next device comes it is tried
// again.
TEST_F(cuda_helpers_of, that_fail_are_told_and_done_without)
{
	struct {
		const char *symbol;
		const char *told;
	} rows[] = {{"cuDevicePrimaryCtxRetain", "(719)"},
		    {"cuMemAlloc_v2", "there is no memory"},
		    {"cuDeviceCanAccessPeer", "can't access"},
		    {"cuCtxEnablePeerAccess", nullptr}}; // of GPU 1, which was told before
	unsigned number = 1;
	for (const auto &row : rows) {
		open_asking("static", {0});
		the_cuda_table().asked = paths::read_request(("static," + std::to_string(number)).c_str());
		cuda_api api;
		ASSERT_EQ(load_cuda(api, HET_FAKE_CUDA), 0);
		testing::internal::CaptureStderr();
		for (unsigned times : {0, 1}) {
			fake_->fails_always = true;
			fail(row.symbol, 0);
			the_cuda_helpers().device_is_there(api);
			fake_->fail_symbol = nullptr;
			fake_->fails_always = false;
			EXPECT_EQ(helping(), 0u) << row.symbol << times;
			EXPECT_EQ(fake_->contexts_held, 1) << row.symbol;
		}
		const std::string said = testing::internal::GetCapturedStderr();
		EXPECT_EQ(std::ranges::count(said, '\n'), row.told && !settings().quiet) << said;
		if (row.told) {
			expect_told(said, ("CUDA device " + std::to_string(number) + " does not help").c_str());
			expect_told(said, row.told);
		}
		pair p(*this, 0, 8 * mib);
		EXPECT_EQ(carrying(p), alone);
		the_cuda_helpers().device_is_there(api);
		EXPECT_EQ(helping(), 1u << number) << "it works now";
		number = number % 3 + 1;
	}
}

TEST_F(cuda_helpers_of, that_are_not_there_are_told)
{
	testing::internal::CaptureStderr();
	open_asking("static,9", {0});
	open_asking("static,all,9", {0});
	open_asking("static;1", {0});
	const std::string said = testing::internal::GetCapturedStderr();
	expect_told(said, "CUDA device 9 does not help with copies: ");
	expect_told(said, "HET_PATHS=static counts as not set");
	EXPECT_EQ(std::ranges::count(said, '\n'), settings().quiet ? 0 : 2) << said;
}

} // namespace het::test
