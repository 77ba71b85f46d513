// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Prints progress lines on stderr for work that takes longer than a moment.
#pragma once

#include <string>

namespace bench
{

class progress
{
      public:
	// @steps calls of step() make the whole.
	progress(std::string what, size_t steps);
	~progress();
	progress(const progress &) = delete;
	progress &operator=(const progress &) = delete;

	// Tells that one step is done; @now says what comes next. It always prints on a terminal, and else every few
	// seconds.
	void step(const std::string &now = "");

      private:
	void show(const std::string &now);

	std::string what_;
	size_t steps_;
	size_t done_ = 0;
	double started_;
	double shown_;
	bool terminal_;
};

} // namespace bench
