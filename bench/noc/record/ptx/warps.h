// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the warps of a kernel do to global memory becomes what the cores of a network do: block b runs on core b modulo
// their number. An instruction takes a cycle, and an access one for each line that its lanes touch.
#pragma once

#include "noc/trace/accesses.h"
#include "simt/run.h"

#include <map>

namespace noc::record
{

class warps
{
      public:
	explicit warps(unsigned cores) : cores_(cores), gaps_(cores), trace_(cores) {}

	// For simt::options::trace.
	void step(const het::ptx::simt::step &s);
	const access_trace &trace() const { return trace_; }

      private:
	enum class use : uint8_t { own, read, write };

	static use use_of(const std::string &statement);
	use look(const het::ptx::simt::step &s);

	unsigned cores_;
	std::vector<unsigned> gaps_;
	access_trace trace_;
	std::map<std::pair<const void *, uint32_t>, use> known_; // by function and statement
};

} // namespace noc::record
