// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <het.h>

namespace het_omp
{

// Waits for the command and releases its event. Returns the code with which it has failed, or 0.
inline int finish(het_event *e)
{
	int status = 0;
	het_event_wait(1, &e);
	het_event_status(e, &status);
	het_event_release(e);
	return status;
}

} // namespace het_omp
