// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Independent jobs run on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace noc
{

// Calls @job(0) to @job(jobs - 1), each once. The first exception stops what has not begun and is thrown again.
void in_parallel(unsigned threads, size_t jobs, const std::function<void(size_t)> &job);

} // namespace noc
