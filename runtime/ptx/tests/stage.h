// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A stage makes examples ready to run.
#pragma once

#include "device.h"
#include "example.h"

namespace het::ptx::simt
{

// A stage has an example with a text that need not be the corpus's own, ready to run.
class stage
{
      public:
	stage(const example &e, const std::string &text, const options &with);

	void add_argument(uint64_t value);
	outcome run() { return simt::run(dev.prog(), with_launch, dev.with); }
	void must_run();
	// Checks that the buffers are what the example says.
	void check() const;

	device dev;
	std::vector<std::vector<uint8_t>> buffers; // one for each argument, empty for values
	launch with_launch;

      private:
	const example &e_;
	size_t arguments_ = 0;
};

} // namespace het::ptx::simt
