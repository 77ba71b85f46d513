// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bulk copies of several CUDA devices share the devices' links. The fake driver of selftests/fake plays the GPUs.
#include "dev/cuda.h"
#include "dev/cuda_copy.h"
#include "dev/cuda_fabric.h"
#include "dev/cuda_port.h"
#include "fake/fake_cuda.h"
#include "os/clock.h"
#include "os/log.h"
#include "paths/splitter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace het::test
{

namespace
{

// Who gets how much follows from what is measured, and so from how busy this machine is: that is left to the tests of
// lib/paths. Here all paths carry always. The environment is read once.
[[maybe_unused]] const int all_paths = setenv("HET_PATHS", "static", 1);
constexpr unsigned lanes = 3;
// The fake driver refuses the kernel that copies there.
#ifdef __SANITIZE_THREAD__
constexpr bool has_kernel = false;
#else
constexpr bool has_kernel = true;
#endif
constexpr char no_kernel[] = "under the thread sanitizer the fake driver has no kernel that copies";
constexpr size_t mib = 1 << 20, least = 8 * mib;
constexpr uint64_t for_ever = 1'000'000'000'000; // until kernels begin

class cuda_paths : public testing::Test
{
      protected:
	void SetUp() override
	{
		setenv("GPUVM_QUIET", "1", 1);
		library_ = dlopen(HET_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
		ASSERT_NE(library_, nullptr) << dlerror();
		fake_ = static_cast<fake_cuda_state *>(dlsym(library_, "fake_cuda"));
#define FIND(member, symbol, parameters) cu_.member = reinterpret_cast<decltype(cu_.member)>(dlsym(library_, #symbol));
		HET_CUDA_DEVICE_FUNCTIONS(FIND)
		HET_CUDA_PROGRAM_FUNCTIONS(FIND)
#undef FIND
		fake_->devices = 4;
		fake_->fail_symbol = nullptr;
		fake_->fails_always = false;
		fake_->peer_copies = 0;
		streams_ = fake_->streams;
	}
	void TearDown() override
	{
		for (auto &d : devices_)
			d.reset();
		fake_->fail_symbol = nullptr;
		fake_->devices = 2;
		EXPECT_EQ(fake_->streams, streams_) << "are left behind";
		EXPECT_EQ(fake_->contexts_held, 0);
	}

	void open(unsigned n)
	{
		for (auto &d : devices_)
			d.reset();
		for (unsigned i = 0; i < n; i++) {
			cuda_api api;
			int error = load_cuda(api, HET_FAKE_CUDA);
			ASSERT_EQ(error, 0);
			devices_[i] = make_cuda_device(api, i, reinterpret_cast<void *>(uintptr_t{i}), lanes, &error);
			ASSERT_NE(devices_[i], nullptr) << last_error();
		}
	}

	// Memory of a device and of the host, which copies find pinned, with other bytes each time.
	struct pair {
		cuda_paths &test;
		unsigned gpu;
		std::vector<char> host;
		cu_deviceptr buffer = 0;

		pair(cuda_paths &t, unsigned g, size_t size) : test(t), gpu(g), host(size)
		{
			cu_context c;
			t.cu_.retain_context(&c, int(g));
			t.cu_.push_context(c);
			EXPECT_EQ(t.cu_.allocate(&buffer, size), 0);
			t.cu_.pop_context(&c);
			t.cu_.release_context(int(g));
			EXPECT_TRUE(t.devices_[g]->pin(host.data(), size));
		}
		~pair()
		{
			test.devices_[gpu]->unpin(host.data());
			test.cu_.free(buffer);
		}
		pair(const pair &) = delete;
		pair &operator=(const pair &) = delete;

		void fill(unsigned seed)
		{
			std::minstd_rand random(seed);
			std::vector<uint32_t> block(4093);
			std::generate(block.begin(), block.end(), random);
			const size_t n = block.size() * 4;
			for (size_t at = 0; at < host.size(); at += n, block[0]++)
				memcpy(&host[at], block.data(), std::min(n, host.size() - at));
		}
		transfer all() const
		{
			return {reinterpret_cast<void *>(uintptr_t(buffer)), 0, const_cast<char *>(host.data()),
				host.size(), true};
		}
		std::vector<char> on_device() const
		{
			std::vector<char> bytes(host.size());
			cu_context c;
			test.cu_.retain_context(&c, int(gpu));
			test.cu_.push_context(c);
			EXPECT_EQ(test.cu_.read(bytes.data(), buffer, bytes.size()), 0);
			test.cu_.pop_context(&c);
			test.cu_.release_context(int(gpu));
			return bytes;
		}
	};

	// Copies to the device and back, and compares.
	void to_and_fro(pair &p, unsigned lane, unsigned seed)
	{
		transfer t = p.all();
		p.fill(seed);
		ASSERT_EQ(devices_[p.gpu]->write(lane, {&t, 1}), 0) << last_error();
		std::vector<char> was = p.host;
		p.fill(seed + 1);
		ASSERT_EQ(devices_[p.gpu]->read(lane, {&t, 1}), 0) << last_error();
		ASSERT_TRUE(p.host == was);
	}

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

	void fail(const char *symbol, int after)
	{
		fake_->fail_after = after;
		fake_->fail_code = cu_error_launch_failed;
		fake_->fail_symbol = symbol;
	}

	struct hands;
	struct two_members;

	void *library_ = nullptr;
	fake_cuda_state *fake_ = nullptr;
	cuda_functions cu_ = {};
	std::unique_ptr<device> devices_[4];
	int streams_ = 0;
};

// The ports of two GPUs, with their hands, which make copies of the first one's.
struct cuda_paths::hands final : port_lender {
	explicit hands(cuda_paths &t) : test(t)
	{
		EXPECT_EQ(load_cuda(api, HET_FAKE_CUDA), 0);
		for (int gpu : {0, 1})
			EXPECT_EQ(api.retain_context(&contexts[gpu], gpu), 0);
		cuda_current c(api, contexts[1]);
		EXPECT_EQ(api.enable_peer_access(contexts[0], 0), 0);
	}
	~hands()
	{
		for (int gpu : {0, 1})
			api.release_context(gpu);
	}
	hands(const hands &) = delete;
	hands &operator=(const hands &) = delete;

	void open(bool home)
	{
		for (unsigned gpu : {0, 1}) {
			cuda_current c(api, contexts[gpu]);
			ASSERT_EQ(kernels[gpu].open(api), 0);
			ASSERT_EQ(ports[gpu].open(api, contexts[gpu], direction_of(home), gpu == 1), 0);
			ports[gpu].open_hand(kernels[gpu].function());
		}
	}
	void close()
	{
		for (unsigned gpu : {0, 1}) {
			ports[gpu].close();
			cuda_current c(api, contexts[gpu]);
			kernels[gpu].close(api);
		}
	}
	static paths::direction direction_of(bool home)
	{
		return home ? paths::direction::to_host : paths::direction::to_device;
	}
	// Other bytes than before are there afterwards.
	void copy(pair &p, bool home, paths::path_set carriers)
	{
		transfer t = p.all();
		p.fill(++seed);
		const std::vector<char> expected = p.host;
		if (home) {
			EXPECT_EQ(test.devices_[0]->write(1, {&t, 1}), 0);
			p.fill(77);
		}
		const cuda_place device = {contexts[0], p.buffer}, host = on_host(p.host.data());
		const cuda_part part = home ? cuda_part{host, device} : cuda_part{device, host};
		const size_t size = p.host.size();
		const paths::estimate nothing[paths::most_paths];
		paths::splitter s({&size, 1}, {.carriers = carriers}, 0, nothing, now_ns());
		replaced = 0;
		EXPECT_EQ(copy_over_paths(s, {&part, 1}, {&size, 1}, 0, *this, patience_ns), 0);
		for (unsigned path : {0, 1})
			carried[path] = s.carried(path);
		EXPECT_TRUE((home ? p.host : p.on_device()) == expected);
	}

	cuda_carrier *borrow(unsigned path) override { return ports[path].hand(); }
	cuda_carrier *instead(unsigned path, int) override
	{
		replaced |= paths::only(path);
		return &ports[path];
	}
	bool is_free(unsigned) override { return true; }
	void failed(unsigned, int error) override { ADD_FAILURE() << error; }
	void arrived(unsigned, size_t) override {}

	cuda_paths &test;
	cuda_api api;
	cu_context contexts[2];
	cuda_copy_kernel kernels[2];
	cuda_port ports[2];
	size_t carried[2] = {};
	paths::path_set replaced = 0;
	uint64_t patience_ns = for_ever;
	unsigned seed = 0;
};

using paths::only;

// Those of which devices are made, and memory of the first one's. All paths carry a part of a copy.
struct cuda_paths::two_members {
	explicit two_members(cuda_paths &t) : test(t), host(8 * mib + 64)
	{
		EXPECT_EQ(load_cuda(api, HET_FAKE_CUDA), 0);
		for (int gpu : {0, 1}) {
			EXPECT_EQ(api.retain_context(&contexts[gpu], gpu), 0);
			members[gpu].join("a device", gpu, contexts[gpu]);
		}
		cuda_current c(api, contexts[0]);
		EXPECT_EQ(api.allocate(&buffer, host.size()), 0);
		EXPECT_EQ(api.register_host(host.data(), host.size(), cu_host_register_portable), 0);
	}
	~two_members()
	{
		for (cuda_member &m : members)
			m.leave();
		cuda_current c(api, contexts[0]);
		api.unregister_host(host.data());
		api.free(buffer);
		for (int gpu : {0, 1})
			api.release_context(gpu);
	}
	two_members(const two_members &) = delete;
	two_members &operator=(const two_members &) = delete;

	void stall(bool home, unsigned path)
	{
		cuda_deciding held;
		members[0].of(hands::direction_of(home)).chooser.stalled(path, 100'000'000);
	}
	void end_access()
	{
		cuda_current c(api, contexts[1]);
		EXPECT_EQ(test.cu_.disable_peer_access(contexts[0]), 0);
	}
	void expect_sound_contexts()
	{
		for (cu_context context : contexts) {
			cuda_current c(api, context);
			EXPECT_EQ(test.cu_.synchronize(), 0);
		}
	}
	void copy(bool home, size_t at, uint64_t patience_ns = beginning_ns)
	{
		const size_t size = 8 * mib;
		std::minstd_rand random(++seed);
		std::vector<char> bytes(size);
		for (size_t i = 0; i < size; i += 4)
			*reinterpret_cast<uint32_t *>(&bytes[i]) = uint32_t(random());
		cuda_current c(api, contexts[0]);
		if (home)
			EXPECT_EQ(test.cu_.write(buffer + at, bytes.data(), size), 0);
		else
			memcpy(&host[at], bytes.data(), size);
		const transfer t = {reinterpret_cast<void *>(uintptr_t(buffer)), at, &host[at], size, true};
		int error = -1;
		EXPECT_TRUE(copy_over_fabric(members[0], hands::direction_of(home), {&t, 1}, &error, patience_ns));
		EXPECT_EQ(error, 0);
		std::vector<char> found(size);
		if (home)
			memcpy(found.data(), &host[at], size);
		else
			EXPECT_EQ(test.cu_.read(found.data(), buffer + at, size), 0);
		EXPECT_TRUE(found == bytes);
	}

	cuda_paths &test;
	cuda_api api;
	cu_context contexts[2];
	cuda_member members[2] = {{api, 0}, {api, 1}};
	std::vector<char> host;
	cu_deviceptr buffer = 0;
	unsigned seed = 0;
};

} // namespace

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

// Engines can't get at the link, which has stopped. Kernels can.
TEST_F(cuda_paths, hands_carry_where_engines_wait)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	open(1); // no others
	hands all(*this);
	for (bool home : {false, true}) {
		all.open(home);
		const size_t most = mib + 4096 + 13;
		pair p(*this, 0, most);
		for (size_t size : {size_t{1}, size_t{16}, size_t{4096 + 7}, most}) {
			p.fill(unsigned(size));
			std::vector<char> expected = home ? p.host : p.on_device();
			if (home) {
				transfer t = p.all();
				EXPECT_EQ(devices_[0]->write(1, {&t, 1}), 0);
				std::fill(p.host.begin(), p.host.end(), 1);
				std::fill(expected.begin() + size, expected.end(), 1);
			} else {
				memcpy(expected.data(), p.host.data(), size);
			}
			fake_->link_stops[0][home] = true;
			const cuda_place device = {all.contexts[0], p.buffer}, host = on_host(p.host.data());
			cuda_hand &hand = *all.ports[0].hand();
			EXPECT_EQ(home ? hand.start(host, device, size) : hand.start(device, host, size), 0);
			while (hand.look() == cu_error_not_ready)
				std::this_thread::yield();
			EXPECT_EQ(hand.look(), 0);
			EXPECT_TRUE(hand.has_begun());
			hand.next();
			fake_->link_stops[0][home] = false;
			EXPECT_TRUE((home ? p.host : p.on_device()) == expected) << size;
		}
		all.close();
	}
}

// A whole copy, by two of them.
TEST_F(cuda_paths, hands_share_a_copy)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	open(1);
	hands all(*this);
	for (bool home : {false, true}) {
		all.open(home);
		pair p(*this, 0, 8 * mib);
		for (int gpu : {0, 1})
			fake_->link_stops[gpu][home] = true;
		all.copy(p, home, 3);
		for (int gpu : {0, 1})
			fake_->link_stops[gpu][home] = false;
		EXPECT_GT(all.carried[0], 0u);
		EXPECT_GT(all.carried[1], 0u);
		EXPECT_EQ(all.replaced, 0);
		all.close();
	}
}

// Others' kernels have the multiprocessors. The engine carries what was taken back, and nothing of it comes later.
TEST_F(cuda_paths, what_a_kernel_has_not_begun_is_taken_back)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	open(1);
	hands all(*this);
	for (bool home : {false, true}) {
		all.open(home);
		pair p(*this, 0, 8 * mib);
		fake_->hold_copying = true;
		all.patience_ns = 100'000;
		all.copy(p, home, 1);
		all.patience_ns = for_ever;
		EXPECT_EQ(all.replaced, only(0));
		EXPECT_EQ(all.ports[0].hand(), nullptr) << "as its kernels are still to come";
		p.fill(99);
		const std::vector<char> host = p.host, device = p.on_device();
		fake_->hold_copying = false;
		while (!all.ports[0].hand())
			std::this_thread::yield();
		EXPECT_TRUE(p.host == host);
		EXPECT_TRUE(p.on_device() == device);
		all.copy(p, home, 1);
		EXPECT_EQ(all.replaced, 0);
		all.close();
	}
}

TEST_F(cuda_paths, the_engine_goes_on_where_a_kernel_fails)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	for (const char *symbol : {"cuLaunchKernel", "work of cuLaunchKernel", "cuMemHostGetDevicePointer_v2"}) {
		open(1);
		hands all(*this);
		all.open(false);
		pair p(*this, 0, 8 * mib);
		fail(symbol, 1);
		all.copy(p, false, 1);
		EXPECT_EQ(fake_->fail_symbol, nullptr) << symbol << " was not called";
		EXPECT_EQ(all.replaced, only(0)) << symbol;
		all.close();
	}
}

// The kernel runs all the same, later than the engine has carried the bytes, and must do nothing then.
TEST_F(cuda_paths, a_kernel_behind_which_no_event_comes_is_taken_back)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	open(1);
	hands all(*this);
	all.open(false);
	pair p(*this, 0, 8 * mib);
	fake_->hold_copying = true;
	fail("cuEventRecord", 1);
	all.copy(p, false, 1);
	EXPECT_EQ(all.replaced, only(0));
	EXPECT_EQ(all.ports[0].hand(), nullptr) << "as its kernel is still to come";
	p.fill(99);
	const std::vector<char> device = p.on_device();
	fake_->hold_copying = false;
	while (!all.ports[0].hand())
		std::this_thread::yield();
	EXPECT_TRUE(p.on_device() == device);
	all.close();
}

// A piece has waited long for the engine of a link, its own or the peer's: there a kernel carries a part of the next copy.
TEST_F(cuda_paths, kernels_carry_after_a_link_has_stopped)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	for (unsigned path : {0, 1}) {
		for (bool home : {false, true}) {
			two_members all(*this);
			all.stall(home, path);
			const int before[] = {fake_->launches[0], fake_->launches[1]};
			all.copy(home, 0);
			for (unsigned other : {0, 1})
				EXPECT_EQ(fake_->launches[other] > before[other], other == path) << home;
		}
	}
}

// The program has put an end to it, or has never wanted it. A kernel would lose its context by that, for good.
TEST_F(cuda_paths, a_peer_s_kernel_has_access_each_time)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	for (bool home : {false, true}) {
		two_members all(*this);
		all.stall(home, 1);
		const int before = fake_->launches[1];
		all.copy(home, 0, for_ever);
		const int alone = fake_->launches[1];
		EXPECT_GT(alone, before);
		all.end_access();
		all.copy(home, 0, for_ever);
		EXPECT_GT(fake_->launches[1], alone) << "it has got access again";
		const int again = fake_->launches[1];
		all.end_access();
		fake_->fails_always = true;
		fail("cuCtxEnablePeerAccess", 0);
		all.copy(home, 0, for_ever);
		EXPECT_EQ(fake_->launches[1], again);
		fake_->fail_symbol = nullptr;
		fake_->fails_always = false;
		all.expect_sound_contexts();
	}
}

// By direction and path, and what engines have carried is in the sum alone.
TEST_F(cuda_paths, what_kernels_have_carried_is_known)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	for (unsigned path : {0, 1}) {
		two_members all(*this);
		all.copy(false, 0);
		path_report of[2];
		auto look = [&] { ASSERT_EQ(report_fabric(all.members[0], of), 6u); };
		look();
		EXPECT_EQ(of[0].by_kernels + of[1].by_kernels, 0u);
		const uint64_t engines = of[path].carried;
		all.stall(false, path);
		all.copy(false, 0, for_ever);
		look();
		EXPECT_GT(of[path].by_kernels, 0u);
		EXPECT_EQ(of[path].by_kernels, of[path].carried - engines);
		EXPECT_LE(of[!path].by_kernels, of[!path].carried) << "where the first copy has waited long there, too";
		EXPECT_EQ(of[0].carried + of[1].carried, 16 * mib);
	}
}

// Memory of another context, as that of pools, is not there for other devices.
TEST_F(cuda_paths, a_peer_s_kernel_leaves_alone_what_it_may_not_reach)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	two_members all(*this);
	cu_context other =
		reinterpret_cast<fake_cuda_other_context_fn *>(dlsym(library_, "fake_cuda_other_context"))(0);
	const cu_deviceptr own = all.buffer;
	cu_.push_context(other);
	EXPECT_EQ(cu_.allocate(&all.buffer, all.host.size()), 0);
	cu_.pop_context(&other);
	all.stall(false, 1);
	const int before = fake_->launches[1];
	all.copy(false, 0);
	EXPECT_EQ(fake_->launches[1], before);
	cu_.free(all.buffer);
	all.buffer = own;
	all.copy(false, 0);
	EXPECT_GT(fake_->launches[1], before);
}

TEST_F(cuda_paths, copies_that_are_not_aligned_for_kernels)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	two_members all(*this);
	all.stall(false, 0);
	const int before = fake_->launches[0];
	all.copy(false, 8);
	EXPECT_EQ(fake_->launches[0], before);
	all.copy(false, 16);
	EXPECT_GT(fake_->launches[0], before);
}

TEST_F(cuda_paths, kernels_bring_what_is_touched_after_a_long_wait)
{
	if (!has_kernel)
		GTEST_SKIP() << no_kernel;
	open(2);
	pair p(*this, 0, mib);
	transfer all = p.all();
	unsigned seed = 0;
	auto touch = [&](size_t at, size_t n, bool stops) {
		p.fill(++seed);
		ASSERT_EQ(devices_[0]->write(1, {&all, 1}), 0);
		const std::vector<char> was = p.host;
		std::fill(p.host.begin(), p.host.end(), 1);
		fake_->link_stops[0][1] = stops;
		std::thread helper([&] {
			std::this_thread::sleep_for(std::chrono::milliseconds(stops ? 60 : 0));
			fake_->link_stops[0][1] = false;
		});
		transfer t = all;
		t.offset = at;
		t.host = p.host.data() + at;
		t.size = n;
		read_ticket ticket;
		EXPECT_EQ(devices_[0]->start_read(0, t, ticket), 0);
		EXPECT_EQ(devices_[0]->finish_read(0, ticket), 0);
		helper.join();
		for (size_t i = 0; i < p.host.size(); i += 61)
			ASSERT_EQ(p.host[i], i - at < n ? was[i] : 1) << i;
	};
	auto kernels = [&](size_t at, size_t n, bool stops) {
		const int before = fake_->launches[0];
		touch(at, n, stops);
		return fake_->launches[0] - before;
	};
	touch(0, 4096, true);
	EXPECT_EQ(kernels(64 << 10, 64 << 10, true), 1);
	touch(0, 4096, true);
	EXPECT_EQ(kernels(4096, 4096, true), 1);
	touch(0, 4096, true);
	EXPECT_EQ(kernels(8, 4096, false), 0) << "which is not aligned so";
	touch(0, 4096, true);
	fake_->hold_copying = true;
	touch(4096, 4096, false);
	EXPECT_EQ(kernels(4096, 4096, false), 0) << "while others have the multiprocessors";
	fake_->hold_copying = false;
}

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

// Others copy through it meanwhile.
TEST_F(cuda_paths, a_device_that_keeps_its_memory_lends_none)
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
	cuda_api api;
	int error = load_cuda(api, HET_FAKE_CUDA);
	devices_[2] = make_cuda_device(api, 2, reinterpret_cast<void *>(uintptr_t{2}), lanes, &error);
	EXPECT_EQ(devices_[2]->lent_memory(), 32 * mib) << "of a device that is new";
	EXPECT_EQ(devices_[1]->lent_memory(), 0u);
}

// Three devices copy at once, while calls and what they have started fail, and what is in streams takes longer.
TEST_F(cuda_paths, random_copies_with_failures_and_delays)
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
			// A stream in which something has failed stays so, as the driver's do: where those of the direct
			// path are such, every copy would fail.
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
TEST_F(cuda_paths, all_at_once)
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
		cuda_api api;
		int error = load_cuda(api, HET_FAKE_CUDA);
		devices_[3] = make_cuda_device(api, 3, reinterpret_cast<void *>(uintptr_t{3}), lanes, &error);
	}
	for (auto &t : threads)
		t.join();
	EXPECT_GT(fake_->peer_copies, 0);
}

} // namespace het::test
