// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Takes the notes of one launch of an instrumented kernel: before() and after() stand around it in its stream, and
// finish() comes when it has ended.
#pragma once

#include "dev/cuda_sheets.h"
#include "dev/cuda_tables.h"
#include "dev/launch_notes.h"
#include "dev/noted_pages.h"

namespace het::rt
{

class cuda_notes final : public launch_notes
{
      public:
	// @tables live as long as this.
	cuda_notes(cuda_sheets &sheets, cuda_tables &tables) : sheets_(sheets), tables_(tables) {}
	~cuda_notes() override;

	// The device's context is current. These return 0 or a code of the driver's.
	int before(const cuda_calls &cu, cu_stream stream, std::span<const device_arg> args, unsigned processors,
		   uint64_t blocks);
	int after(const cuda_calls &cu, cu_stream stream);
	void finish();

	bool wrote(void *buffer, size_t offset, size_t nbytes) const override;
	het_launch_counters counters() const override;
	bool site(uint32_t i, het_site_counters &counted) const override;

      private:
	bool prepare(std::span<const device_arg> args, unsigned processors);
	table_values values(uint64_t blocks) const;
	// The parts of a sheet begin there.
	size_t touch_at() const;
	size_t counters_at() const;
	size_t bytes() const;
	void sum_counters(const char *counters);

	cuda_sheets &sheets_;
	cuda_tables &tables_;
	instruments on_ = {};
	noted_pages dirty_, touch_;
	uint32_t copies_ = 0; // how many copies of the counters there are: processors spread over them
	std::unique_ptr<ptx::coalesce_counters[]> sums_;
	cuda_sheet *sheet_ = nullptr; // held until finish()
};

} // namespace het::rt
