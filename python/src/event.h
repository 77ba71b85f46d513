// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A command under way, or an event that the program sets.
#pragma once

#include "holds.h"

#include <het.h>

namespace het::python
{

class event
{
      public:
	// Takes a reference over.
	event(het_event *e, std::vector<hold> &&holds) : e_(e), holds_(std::move(holds)) {}
	event(const event &) = delete;
	event &operator=(const event &) = delete;
	~event();

	het_event *get() const { return e_; }
	// Throws if the command has failed.
	void wait();
	// Ends holds once the command has finished.
	int status();
	// A byte is sent to this socket when the command has finished.
	void notify(int descriptor);
	// Finishes an event of the program's.
	void set(int status);

      private:
	void finish(int status);

	het_event *e_;
	std::vector<hold> holds_;
};

} // namespace het::python
