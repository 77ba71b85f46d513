// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These tables tell a loaded module's instruments what to do. They change in the order of the stream that all launches
// of the device go through, and belong to the submitting thread.
#pragma once

#include "dev/cuda_calls.h"
#include "dev/instruments.h"
#include "ptx/passes/coalesce.h"
#include "ptx/passes/pages.h"

namespace het::rt
{

struct table_values {
	ptx::page_table dirty = {}, touch = {};
	ptx::coalesce_table coalesce = {};
};

class cuda_tables
{
      public:
	// Finds the tables of a module that was loaded from the text. Returns 0 or a code of the driver's.
	int open(const cuda_calls &cu, cu_module m, instrumented from);

	const instruments &has() const { return has_; }
	const std::vector<ptx::pass_site> &sites() const { return sites_; }

	// Sets what launches from now on find; null switches the instruments off. @values live until the stream gets
	// here.
	int set(const cuda_calls &cu, cu_stream stream, const table_values *values);

      private:
	template <class T>
	int set_one(const cuda_calls &cu, cu_stream stream, cu_deviceptr at, T &now, const T &wanted);

	instruments has_;
	std::vector<ptx::pass_site> sites_;
	cu_deviceptr dirty_ = 0, touch_ = 0, coalesce_ = 0;
	table_values now_;
};

} // namespace het::rt
