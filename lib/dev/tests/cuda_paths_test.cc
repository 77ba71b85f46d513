// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bulk copies of several CUDA devices share the devices' links.
#include "dev/tests/cuda_paths_fixture.h"

namespace het::test
{

TEST_F(cuda_paths, one_device_has_no_ports)
{
	open(1);
	EXPECT_EQ(fake_->streams, streams_ + int(lanes));
	pair p(*this, 0, 8 * mib);
	to_and_fro(p, 0, 1);
	EXPECT_EQ(fake_->peer_copies, 0);
}

TEST_F(cuda_paths, two_devices_lend_each_other_their_links)
{
	open(2);
	for (unsigned gpu : {0, 1}) {
		fake_->peer_copies = 0;
		pair p(*this, gpu, 9 * mib + 4096);
		for (unsigned i = 0; i < 2; i++)
			to_and_fro(p, 0, 10 * i);
		EXPECT_GT(fake_->peer_copies, 2) << "each way is asked at least";
	}
}

// The links have rates, and serve in order.
TEST_F(cuda_paths, peers_carry_a_part)
{
	open(2);
	pair p(*this, 0, 8 * mib);
	p.fill(1);
	transfer t = p.all();
	fake_->link_rate = 200;
	for (bool home : {false, true}) {
		unsigned long before[] = {fake_->carried[0][home], fake_->carried[1][home]};
		EXPECT_EQ(home ? devices_[0]->read(0, {&t, 1}) : devices_[0]->write(0, {&t, 1}), 0);
		EXPECT_GT(fake_->carried[0][home], before[0]);
		EXPECT_GT(fake_->carried[1][home], before[1]);
		EXPECT_EQ(fake_->carried[0][home] + fake_->carried[1][home], before[0] + before[1] + 8 * mib);
	}
	fake_->link_rate = 0;
}

// When pieces are seen depends on how busy the machine is, so no rate is compared here.
TEST_F(cuda_paths, what_copies_have_taken_is_known)
{
	open(2);
	pair p(*this, 0, 16 * mib);
	transfer t = p.all();
	path_report all[72];
	EXPECT_EQ(devices_[0]->report_paths({}), 6u);
	EXPECT_EQ(devices_[0]->seconds_to_write(16 * mib), 0);
	fake_->link_rate = 400;
	unsigned copies = 0;
	for (; copies < 100 && (!copies || devices_[0]->seconds_to_write(4 * mib) == 0); copies++)
		EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0);
	fake_->link_rate = 0;
	EXPECT_GT(devices_[0]->seconds_to_write(4 * mib), 0);
	EXPECT_GT(devices_[0]->seconds_to_write(16 * mib), 0);
	EXPECT_EQ(devices_[1]->seconds_to_write(16 * mib), 0);
	ASSERT_EQ(devices_[0]->report_paths(all), 6u);
	uint64_t carried = 0;
	for (const path_report &r : std::span(all, 6)) {
		EXPECT_EQ(r.carried > 0, r.way == path_report::to_device);
		EXPECT_TRUE(r.way == path_report::to_device || !(r.rate > 0));
		carried += r.carried;
	}
	EXPECT_EQ(carried, copies * 16 * mib);
}

TEST_F(cuda_paths, small_copies_go_directly)
{
	open(2);
	pair p(*this, 0, 64 << 10);
	for (unsigned i = 0; i < 40; i++)
		to_and_fro(p, 0, i);
	EXPECT_EQ(fake_->peer_copies, 0);
}

TEST_F(cuda_paths, so_does_what_is_not_pinned_or_small_in_its_parts)
{
	open(2);
	pair p(*this, 0, 8 * mib);
	p.fill(3);
	transfer t = p.all();
	t.pinned = false;
	EXPECT_EQ(devices_[0]->write(0, {&t, 1}), 0);
	EXPECT_TRUE(p.on_device() == p.host);
	p.fill(4);
	std::vector<transfer> parts;
	for (size_t at = 0; at < 8 * mib; at += 64 << 10)
		parts.push_back({t.devbuf, at, p.host.data() + at, 64 << 10, true});
	EXPECT_EQ(devices_[0]->write(0, parts), 0);
	EXPECT_EQ(memcmp(p.on_device().data(), p.host.data(), 8 * mib), 0);
	EXPECT_EQ(fake_->peer_copies, 0);
}

TEST_F(cuda_paths, parts_of_any_size)
{
	open(3);
	pair p(*this, 1, 12 * mib);
	p.fill(5);
	std::vector<transfer> parts;
	std::minstd_rand random(7);
	for (size_t at = 0; at < p.host.size();) {
		size_t n = std::min(p.host.size() - at, 1 + random() % (9 * mib));
		parts.push_back({p.all().devbuf, at, p.host.data() + at, n, true});
		at += n;
	}
	std::shuffle(parts.begin(), parts.end(), random);
	EXPECT_EQ(devices_[1]->write(0, parts), 0);
	EXPECT_TRUE(p.on_device() == p.host);
	std::vector<char> was = p.host;
	p.fill(6);
	EXPECT_EQ(devices_[1]->read(0, parts), 0);
	EXPECT_TRUE(p.host == was);
	EXPECT_GT(fake_->peer_copies, 0);
}

} // namespace het::test
