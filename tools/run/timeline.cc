// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/timeline.h"

#include "run/devices.h"

#include <algorithm>
#include <map>

namespace tool::run
{

namespace
{

using het::json;

constexpr int launches_track = 0;

// The format's times are microseconds.
double microseconds(uint64_t ns)
{
	return double(ns) * 1e-3;
}

class timeline
{
      public:
	timeline(const request &r, uint64_t begin) : request_(r), begin_(begin)
	{
		name_track(launches_track, "launches");
	}

	void add(const launched &l, size_t number)
	{
		add_span(launches_track, 0, l.times.queued, l.times.ended,
			 {{"launch", number}, {"work-items", request_.work_items()}, {"parts", l.parts.size()}});
		events_.push_back(
			{{"name", "bytes copied"},
			 {"ph", "C"},
			 {"pid", launches_track},
			 {"ts", microseconds(l.times.ended - begin_)},
			 {"args", {{"to devices", l.until_end.to_devices}, {"to the host", l.until_end.to_host}}}});
		add_paths(l);
		auto parts = l.parts;
		std::ranges::sort(parts, {}, &part::started);
		for (const part &p : parts)
			add(p, number);
	}
	json take() { return {{"traceEvents", std::move(events_)}, {"displayTimeUnit", "ms"}}; }

      private:
	static std::string way_of(const carried &c)
	{
		const het_path_info &p = c.path;
		if (p.way == HET_PATH_FROM_DEVICE)
			return "from " + title_of(het::device(p.from)) +
			       (p.by == c.of.get() ? std::string()
				: p.by == p.from   ? " by the host"
						   : " by " + whose(p));
		return std::string(p.way == HET_PATH_TO_DEVICE ? "from the host" : "to the host") +
		       (p.by == c.of.get() ? "" : " by " + whose(p));
	}
	static std::string whose(const het_path_info &p)
	{
		return p.by ? title_of(het::device(p.by)) : "CUDA device " + std::to_string(p.cuda_device);
	}

	// A counter for each device shows which way its bulk copies have gone.
	void add_paths(const launched &l)
	{
		std::map<het_device *, json> ways;
		for (const carried &c : l.paths) {
			ways[c.of.get()][way_of(c)] = c.path.carried - c.path.by_kernels;
			if (c.path.by_kernels)
				ways[c.of.get()][way_of(c) + ", kernels"] = c.path.by_kernels;
		}
		for (const auto &[device, carried] : ways)
			events_.push_back({{"name", "bulk copies"},
					   {"ph", "C"},
					   {"pid", track_of(het::device(device)).number},
					   {"ts", microseconds(l.times.ended - begin_)},
					   {"args", carried}});
	}

	// Spans of one lane must not overlap, but a device has the next part before it has ended one.
	struct track {
		int number;
		std::vector<uint64_t> busy_until; // that of each lane
	};

	void name_track(int number, const std::string &name)
	{
		events_.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", number}, {"args", {{"name", name}}}});
		events_.push_back({{"name", "process_sort_index"},
				   {"ph", "M"},
				   {"pid", number},
				   {"args", {{"sort_index", number}}}});
	}

	void add_span(int track, size_t lane, uint64_t from, uint64_t to, const json &args)
	{
		events_.push_back({{"name", request_.kernel.info().name},
				   {"ph", "X"},
				   {"pid", track},
				   {"tid", lane},
				   {"ts", microseconds(from - begin_)},
				   {"dur", microseconds(to - from)},
				   {"args", args}});
	}

	track &track_of(het::device d)
	{
		auto [at, is_new] = tracks_.try_emplace(d.get(), track{int(tracks_.size()) + 1, {}});
		if (is_new)
			name_track(at->second.number, title_of(d));
		return at->second;
	}

	void add(const part &p, size_t launch)
	{
		track &t = track_of(p.device);
		auto lane = std::ranges::find_if(t.busy_until, [&](uint64_t end) { return end <= p.started; });
		if (lane == t.busy_until.end())
			lane = t.busy_until.insert(lane, 0);
		*lane = p.ended;
		json args = {{"launch", launch}, {"first", p.first}, {"count", p.count}, {"work-items", p.work_items}};
		if (size_t items = items_of_group())
			args["groups"] = p.work_items / items;
		add_span(t.number, size_t(lane - t.busy_until.begin()), p.started, p.ended, args);
	}

	// With 0 the library has chosen.
	size_t items_of_group() const
	{
		size_t items = 1;
		for (unsigned d = 0; d < request_.global.dimensions; d++)
			items *= request_.local.size[d];
		return items;
	}

	const request &request_;
	const uint64_t begin_;
	std::map<het_device *, track> tracks_;
	json events_ = json::array();
};

} // namespace

json make_timeline(const request &r, const outcome &o)
{
	timeline t(r, o.launches[0].times.queued);
	for (size_t n = 0; n < o.launches.size(); n++)
		t.add(o.launches[n], n);
	return t.take();
}

} // namespace tool::run
