// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <set>

namespace hetcl
{

namespace
{

// Launches are looked at some time after they have ended.
class launches
{
      public:
	explicit launches(const char *path) : path_(path) {}

	void add(het_event *e)
	{
		const std::lock_guard g(lock_);
		all_++;
		het_event_retain(e);
		open_.push_back(e);
		while (open_.size() > most_open && count_first())
			;
	}
	// Those that have not ended count as not shared.
	void write()
	{
		const std::lock_guard g(lock_);
		for (size_t rest = open_.size(); rest; rest--) {
			if (count_first())
				continue;
			open_.push_back(open_.front());
			open_.pop_front();
		}
		FILE *f = fopen(path_, "ae");
		if (!f)
			return;
		fprintf(f, "launches %zu, shared %zu\n", all_, shared_);
		fclose(f);
	}

      private:
	static constexpr size_t most_open = 64;

	bool count_first()
	{
		het_event *e = open_.front();
		int status = 0;
		if (het_event_status(e, &status) || status > HET_COMPLETE)
			return false;
		shared_ += count_devices(e) > 1;
		het_event_release(e);
		open_.pop_front();
		return true;
	}

	const char *const path_;
	std::mutex lock_;
	std::deque<het_event *> open_;
	size_t all_ = 0, shared_ = 0;
};

// It is never deleted, as launches may come until the end.
launches *wanted()
{
	static launches *const l = [] {
		const char *path = getenv("HET_OPENCL_REPORT");
		return path && *path ? new launches(path) : nullptr;
	}();
	return l;
}

void write_at_end()
{
	wanted()->write();
}

} // namespace

unsigned count_devices(het_event *e)
{
	uint32_t n = 0;
	if (het_event_parts(e, &n))
		return 0;
	std::set<het_device *> devices;
	for (uint32_t i = 0; i < n; i++) {
		het_event_part_info part = {};
		part.size = sizeof(part);
		if (!het_event_part(e, i, &part))
			devices.insert(part.device);
	}
	return unsigned(devices.size());
}

void report_launch(het_event *e)
{
	launches *l = wanted();
	if (!l)
		return;
	static const int registered = atexit(write_at_end);
	if (!registered)
		l->add(e);
}

} // namespace hetcl
