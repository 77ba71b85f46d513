// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests of GPUs that the process does not use, whose links HET_PATHS asks for, share this.
#pragma once

#include "dev/cuda_helpers.h"
#include "dev/tests/cuda_paths_fixture.h"
#include "os/settings.h"

namespace het::test
{

class cuda_helpers_of : public cuda_paths
{
      protected:
	void SetUp() override
	{
		// What is told is looked at where nobody has read the settings before.
		cuda_paths::SetUp();
		setenv("GPUVM_QUIET", "0", 1);
	}
	void TearDown() override
	{
		for (auto &d : devices_)
			d.reset();
		for (unsigned number = 0; number < paths::most_gpus; number++)
			EXPECT_EQ(the_cuda_table().members[number], nullptr);
		cuda_paths::TearDown();
		the_cuda_table().asked = paths::read_request("static");
	}

	// The process has these, and HET_PATHS asks for that.
	void open_asking(const char *asks, std::initializer_list<unsigned> gpus)
	{
		for (auto &d : devices_)
			d.reset();
		the_cuda_table().asked = paths::read_request(asks);
		for (unsigned gpu : gpus)
			open_one(gpu);
	}
	// Returns a bit for each GPU that helps.
	static unsigned helping()
	{
		cuda_deciding held;
		unsigned which = 0;
		for (const cuda_member *m : the_cuda_table().members)
			which |= m && m->is_helper() ? 1u << m->ordinal() : 0;
		return which;
	}
	// Copies to and from the device, and returns a bit for each GPU whose link has carried something. Of a device's
	// first copies each path gets a piece before any arrives, as nothing is known of them.
	struct carriers {
		unsigned to, home;
		bool operator==(const carriers &) const = default;
	};
	carriers carrying(pair &p)
	{
		unsigned long before[4][2];
		for (unsigned gpu = 0; gpu < 4; gpu++) {
			for (unsigned way : {0, 1})
				before[gpu][way] = fake_->carried[gpu][way];
		}
		to_and_fro(p, 0, 7);
		carriers c = {};
		for (unsigned gpu = 0; gpu < 4; gpu++) {
			c.to |= fake_->carried[gpu][0] > before[gpu][0] ? 1u << gpu : 0;
			c.home |= fake_->carried[gpu][1] > before[gpu][1] ? 1u << gpu : 0;
		}
		return c;
	}
	static constexpr carriers alone = {1, 1};
	static constexpr size_t large = 12 * mib;

	void expect_told(const std::string &said, const char *what)
	{
		EXPECT_TRUE(settings().quiet || said.find(what) != said.npos) << said;
	}
};

} // namespace het::test
