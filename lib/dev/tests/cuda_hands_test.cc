// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels that read and write pinned host memory carry pieces where a link's engine keeps them waiting.
#include "dev/cuda_copy.h"
#include "dev/cuda_fabric.h"
#include "dev/cuda_port.h"
#include "dev/tests/cuda_paths_fixture.h"
#include "os/clock.h"
#include "paths/splitter.h"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <thread>

namespace het::test
{

namespace
{

using paths::only;

constexpr uint64_t for_ever = 1'000'000'000'000; // until kernels begin

class cuda_hands : public cuda_paths
{
      protected:
	void SetUp() override
	{
#ifdef __SANITIZE_THREAD__
		GTEST_SKIP() << "under the thread sanitizer the fake driver has no kernel that copies";
#endif
		cuda_paths::SetUp();
	}

	struct hands;
	struct two_members;
};

// The ports of two GPUs, with their hands, which make copies of the first one's.
struct cuda_hands::hands final : port_lender {
	explicit hands(cuda_hands &t) : test(t)
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

	cuda_hands &test;
	cuda_api api;
	cu_context contexts[2];
	cuda_copy_kernel kernels[2];
	cuda_port ports[2];
	size_t carried[2] = {};
	paths::path_set replaced = 0;
	uint64_t patience_ns = for_ever;
	unsigned seed = 0;
};

// Those of which devices are made, and memory of the first one's. All paths carry a part of a copy.
struct cuda_hands::two_members {
	explicit two_members(cuda_hands &t) : test(t), host(8 * mib + 64)
	{
		EXPECT_EQ(load_cuda(api, HET_FAKE_CUDA), 0);
		for (int gpu : {0, 1}) {
			EXPECT_EQ(api.retain_context(&contexts[gpu], gpu), 0);
			members[gpu].join("a device", gpu, gpu, contexts[gpu]);
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
	bool is_sound(unsigned gpu)
	{
		cuda_current c(api, contexts[gpu]);
		return test.cu_.synchronize() == 0;
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

	cuda_hands &test;
	cuda_api api;
	cu_context contexts[2];
	cuda_member members[2] = {{api, 0}, {api, 1}};
	std::vector<char> host;
	cu_deviceptr buffer = 0;
	unsigned seed = 0;
};

} // namespace

// Engines can't get at the link, which has stopped. Kernels can.
TEST_F(cuda_hands, carry_where_engines_wait)
{
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
TEST_F(cuda_hands, share_a_copy)
{
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
TEST_F(cuda_hands, what_a_kernel_has_not_begun_is_taken_back)
{
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

TEST_F(cuda_hands, the_engine_goes_on_where_a_kernel_fails)
{
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
TEST_F(cuda_hands, a_kernel_behind_which_no_event_comes_is_taken_back)
{
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

// A piece has waited long for the engine of a link, its own or the peer's: there a kernel carries a part of the next
// copy.
TEST_F(cuda_hands, kernels_carry_after_a_link_has_stopped)
{
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
// Each time by members of whom nothing is known: where kernels are slow the next copy leaves them nothing.
TEST_F(cuda_hands, a_peer_s_kernel_has_access_each_time)
{
	for (bool home : {false, true}) {
		const auto kernels_of_copy = [&](bool ends_access, const char *failing) {
			two_members all(*this);
			if (ends_access)
				all.end_access();
			all.stall(home, 1);
			const int before = fake_->launches[1];
			fake_->fails_always = failing;
			if (failing)
				fail(failing, 0);
			all.copy(home, 0, for_ever);
			fake_->fail_symbol = nullptr;
			fake_->fails_always = false;
			EXPECT_TRUE(all.is_sound(0) && all.is_sound(1));
			return fake_->launches[1] - before;
		};
		EXPECT_GT(kernels_of_copy(false, nullptr), 0);
		EXPECT_GT(kernels_of_copy(true, nullptr), 0) << "it has got access again";
		EXPECT_EQ(kernels_of_copy(true, "cuCtxEnablePeerAccess"), 0);
	}
}

// The program ends it while the peer's kernel copies, which costs it the peer's context, as kernels of its own would.
// The copy is right all the same, by the direct path, and so are those that follow.
TEST_F(cuda_hands, access_that_ends_in_the_middle_of_a_copy)
{
	for (bool home : {false, true}) {
		two_members all(*this);
		all.stall(home, 1);
		const int before = fake_->launches[1];
		fake_->hold_copying = true;
		std::thread ending([&] {
			while (fake_->launches[1] == before)
				std::this_thread::yield();
			all.end_access();
			fake_->hold_copying = false;
		});
		all.copy(home, 0, for_ever);
		ending.join();
		EXPECT_TRUE(all.is_sound(0));
		EXPECT_FALSE(all.is_sound(1)) << "its kernel has read what it could not";
		for (unsigned i = 0; i < 5; i++)
			all.copy(home, 0);
		EXPECT_TRUE(all.is_sound(0));
	}
}

// Whenever that is: before, between or behind the kernels of the pieces, or in one of them.
TEST_F(cuda_hands, access_that_ends_at_any_time)
{
	for (unsigned round = 0; round < 12; round++) {
		two_members all(*this);
		const bool home = round % 2;
		all.stall(home, 1);
		const int first = fake_->launches[1] + int(round / 2 % 3) + 1;
		std::atomic<bool> is_over{false};
		std::thread ending([&] {
			while (fake_->launches[1] < first && !is_over)
				std::this_thread::yield();
			std::this_thread::sleep_for(std::chrono::microseconds(100 * (round / 6)));
			all.end_access();
		});
		all.copy(home, 0, for_ever);
		is_over = true;
		ending.join();
		all.copy(home, 0);
		EXPECT_TRUE(all.is_sound(0));
	}
}

// By direction and path, and what engines have carried is in the sum alone.
TEST_F(cuda_hands, what_kernels_have_carried_is_known)
{
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
TEST_F(cuda_hands, a_peer_s_kernel_leaves_alone_what_it_may_not_reach)
{
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

TEST_F(cuda_hands, copies_that_are_not_aligned_for_kernels)
{
	two_members all(*this);
	all.stall(false, 0);
	const int before = fake_->launches[0];
	all.copy(false, 8);
	EXPECT_EQ(fake_->launches[0], before);
	all.copy(false, 16);
	EXPECT_GT(fake_->launches[0], before);
}

TEST_F(cuda_hands, kernels_bring_what_is_touched_after_a_long_wait)
{
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

} // namespace het::test
