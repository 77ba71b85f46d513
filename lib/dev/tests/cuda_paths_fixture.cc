// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/tests/cuda_paths_fixture.h"

#include "dev/cuda_member.h"

#include <dlfcn.h>
#include <sched.h>

namespace het::test
{

namespace
{

// Who gets how much follows from what is measured, and so from how busy this machine is: that is left to the tests of
// lib/paths. Here all paths carry always. The environment is read once.
[[maybe_unused]] const int all_paths = setenv("HET_PATHS", "static", 1);

} // namespace

void cuda_paths::SetUp()
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

void cuda_paths::TearDown()
{
	if (!fake_) // as the test was left out
		return;
	for (auto &d : devices_)
		d.reset();
	fake_->fail_symbol = nullptr;
	fake_->devices = 2;
	EXPECT_EQ(fake_->streams, streams_) << "are left behind";
	EXPECT_EQ(fake_->contexts_held, 0);
}

void cuda_paths::open(unsigned n)
{
	for (auto &d : devices_)
		d.reset();
	for (unsigned i = 0; i < n; i++)
		open_one(i);
}

void cuda_paths::open_one(unsigned gpu)
{
	cuda_api api;
	int error = load_cuda(api, HET_FAKE_CUDA);
	ASSERT_EQ(error, 0);
	devices_[gpu] = make_cuda_device(api, gpu, reinterpret_cast<void *>(uintptr_t{gpu}), lanes, &error);
	ASSERT_NE(devices_[gpu], nullptr) << last_error();
}

void cuda_paths::wait_until_lent(unsigned number)
{
	for (bool is_lent = false; !is_lent; sched_yield()) {
		cuda_deciding held;
		cuda_member *m = the_cuda_table().members[number];
		is_lent = m && m->of(paths::direction::to_device).relay.is_lent();
	}
}

} // namespace het::test
