// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Who may begin on a device whose memory others wait for, and what becomes of who may not. waiting_line.h tells why.
#pragma once

#include <cstdint>

namespace het::rt
{

struct applicant {
	bool behind = false;            // it would begin behind others in flight
	bool at_work_here = false;      // parts of its launch have arrays on the device until all of it has ended
	bool at_work_elsewhere = false; // the same, on other devices
};

// It need not ask whether others wait.
constexpr bool passes_line(const applicant &a)
{
	return a.at_work_here;
}

enum class refusal : uint8_t {
	come_back, // when those that it is behind have ended
	wait,      // in the line
	give_up,   // and leave the work to the launch's other devices
};

constexpr refusal refuse(const applicant &a)
{
	if (a.behind)
		return refusal::come_back;
	return a.at_work_elsewhere ? refusal::give_up : refusal::wait;
}

} // namespace het::rt
