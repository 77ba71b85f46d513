// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests of bulk copies over several CUDA devices' links share this. The fake driver of selftests/fake plays the GPUs.
#pragma once

#include "dev/cuda.h"
#include "fake/fake_cuda.h"
#include "os/log.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace het::test
{

constexpr unsigned lanes = 3;
constexpr size_t mib = 1 << 20;

class cuda_paths : public testing::Test
{
      protected:
	void SetUp() override;
	void TearDown() override;

	void open(unsigned n);
	void open_one(unsigned gpu);

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

	// Waits until a copy to a device has borrowed what this one lends, by its number in the table. Of a first copy
	// it carries a part then.
	static void wait_until_lent(unsigned number);

	void fail(const char *symbol, int after)
	{
		fake_->fail_after = after;
		fake_->fail_code = cu_error_launch_failed;
		fake_->fail_symbol = symbol;
	}

	void *library_ = nullptr;
	fake_cuda_state *fake_ = nullptr;
	cuda_functions cu_ = {};
	std::unique_ptr<device> devices_[4];
	int streams_ = 0;
};

} // namespace het::test
