// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/progress.h"

#include "common/clock.h"

#include <cstdio>
#include <unistd.h>

namespace bench
{

namespace
{
constexpr double terminal_interval_us = 0.1e6;
constexpr double log_interval_us = 5e6;
} // namespace

progress::progress(std::string what, size_t steps)
    : what_(std::move(what)), steps_(steps ? steps : 1), started_(now_us()), shown_(started_), terminal_(isatty(2) == 1)
{
	fprintf(stderr, "%s ...%s", what_.c_str(), terminal_ ? "" : "\n");
}

progress::~progress()
{
	fprintf(stderr, "%s%s: %.1f s%s\n", terminal_ ? "\r" : "", what_.c_str(), (now_us() - started_) * 1e-6,
		terminal_ ? "\x1b[K" : "");
}

void progress::step(const std::string &now)
{
	++done_;
	double t = now_us();
	if (t - shown_ < (terminal_ ? terminal_interval_us : log_interval_us))
		return;
	shown_ = t;
	show(now);
}

void progress::show(const std::string &now)
{
	double share = double(done_) / double(steps_);
	double left = (now_us() - started_) * 1e-6 * (1 - share) / share;
	fprintf(stderr, "%s%s: %3.0f %%, about %.0f s left%s%s%s", terminal_ ? "\r" : "", what_.c_str(), share * 100,
		left, now.empty() ? "" : "  ", now.c_str(), terminal_ ? "\x1b[K" : "\n");
}

} // namespace bench
