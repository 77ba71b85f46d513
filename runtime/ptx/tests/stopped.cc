// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "stopped.h"

#include <algorithm>
#include <bit>

namespace het::ptx
{

using simt::example;

constexpr uint64_t never = ~uint64_t{0};

stopped_example::stopped_example(const example &e, const std::string &text, const checkpoint_report &report,
				 const simt::options &with)
    : stopped_at(report.points.size() + 1), limit(e.grid.count()), e_(e), stage_(e, text, with), left_(e.grid.count()),
      list_(2 * e.grid.count())
{
	auto &dev = stage_.dev;
	new_ = dev.prog().find(e.kernel);
	resumed_ = dev.prog().find(e.kernel + std::string(resumed_suffix));
	line_address_ = dev.share(line_);
	list_address_ = dev.share(list_);
	context_bytes_ = report.size.context_bytes(e.block.count(), e.shared_bytes);
	contexts_ = dev.mem().allocate(context_bytes_ * e.grid.count());
	control_[0] = {{e.grid.x, e.grid.y, e.grid.z},
		       0,
		       0,
		       0,
		       dev.share(left_),
		       0,
		       line_address_,
		       contexts_,
		       context_bytes_,
		       0,
		       0,
		       0,
		       0,
		       0,
		       0};
	stage_.add_argument(dev.share(control_));
	for (const auto &v : simt::parsed(text).variables) {
		if (v.space != space::global || v.block)
			continue;
		auto at = dev.prog().variable(simt::parsed(text).str(v.name));
		variables_.push_back({at.address, std::vector<uint8_t>(at.bytes)});
		EXPECT_TRUE(dev.mem().read(at.address, variables_.back().second.data(), at.bytes));
	}
	// A look is a load of a word of the line by some lanes of a warp.
	dev.with.trace = [this](const simt::step &s) {
		if (s.addresses && s.mask && s.addresses[std::countr_zero(s.mask)] - line_address_ < sizeof(line_[0]))
			look();
	};
}

void stopped_example::look()
{
	checkpoint_line &l = line_[0];
	if (seen_ == when_.announced && !l.stops) {
		l.lead_ns = lead_ns;
		l.words[l.announcements++] = 1;
	}
	if (seen_ >= when_.told) {
		std::fill(std::begin(l.words), std::end(l.words), 1);
		l.stops = 1;
	}
	seen_++;
}

void stopped_example::begin_again()
{
	for (size_t n = 0; n < stage_.buffers.size(); n++)
		if (e_.arguments[n].kind == example::argument::buffer)
			std::copy(e_.arguments[n].bytes.begin(), e_.arguments[n].bytes.end(),
				  stage_.buffers[n].begin());
	for (const auto &[at, bytes] : variables_)
		EXPECT_TRUE(stage_.dev.mem().write(at, bytes.data(), bytes.size()));
	control_[0].count = control_[0].bases = 0;
	control_[0].limit = limit;
	control_[0].base_limit = base_limit;
	control_[0].block_ns = block_ns;
	// What no block has saved is rubbish.
	const std::vector<uint8_t> nothing(context_bytes_ * e_.grid.count(), 0xa7);
	EXPECT_TRUE(stage_.dev.mem().write(contexts_, nothing.data(), nothing.size()));
}

std::string stopped_example::launch(const simt::code *kernel, const std::vector<uint64_t> &list, moments when)
{
	std::copy(list.begin(), list.end(), list_.begin());
	control_[0].list = list.empty() ? 0 : list_address_;
	control_[0].count_left = 0;
	stage_.with_launch.kernel = kernel;
	stage_.with_launch.grid = list.empty() ? e_.grid : simt::extent{uint32_t(list.size())};
	when_ = when;
	seen_ = 0;
	line_[0] = {};
	auto out = stage_.run();
	if (out.error)
		return out.error->describe();
	return out.findings.empty() ? "" : out.findings[0].first.describe();
}

std::vector<uint64_t> stopped_example::stopped_contexts()
{
	std::vector<uint64_t> all;
	stopped_blocks_.clear();
	std::vector<uint32_t> places(e_.block.count());
	for (uint64_t n = 0; n < std::min(control_[0].count, limit); n++) {
		checkpoint_context head;
		uint64_t at = contexts_ + n * context_bytes_;
		EXPECT_TRUE(stage_.dev.mem().read(at, &head, sizeof(head)));
		if (head.stopped != 1)
			continue;
		all.push_back(n);
		stopped_blocks_.push_back(head.block);
		const bool left_at_begin = resumed_contexts_.contains(n) && head.unbegun;
		unbegun += left_at_begin;
		bases += head.base_bytes != 0;
		stop_bytes += left_at_begin ? 0 : head.stop_bytes;
		EXPECT_TRUE(stage_.dev.mem().read(at + sizeof(head), places.data(), 4 * places.size()));
		for (uint32_t p : places)
			if (p < stopped_at.size())
				stopped_at[p]++;
	}
	return all;
}

std::string stopped_example::run(const std::vector<uint64_t> &list, const std::vector<uint64_t> &announced)
{
	begin_again();
	rounds = 0;
	resumed_contexts_.clear();
	auto next = [&, n = size_t{0}]() mutable {
		moments m = {n < announced.size() ? announced[n] : never, n < list.size() ? list[n] : never};
		n++;
		return m;
	};
	auto wrong = launch(new_, {}, next());
	looks = seen_;
	std::vector<uint64_t> undone(left_.begin(), left_.begin() + long(control_[0].count_left));
	std::sort(undone.begin(), undone.end());
	for (auto contexts = stopped_contexts(); wrong.empty() && (!undone.empty() || !contexts.empty());
	     contexts = stopped_contexts()) {
		rounds++;
		stops += contexts.size();
		left += undone.size();
		if (begins_again)
			undone.insert(undone.end(), stopped_blocks_.begin(), stopped_blocks_.end());
		const moments when = next();
		resumed_contexts_ = {contexts.begin(), contexts.end()};
		if (!contexts.empty())
			wrong = launch(resumed_, contexts, when);
		if (!undone.empty() && wrong.empty()) {
			wrong = launch(new_, undone, when);
			undone.assign(left_.begin(), left_.begin() + long(control_[0].count_left));
		}
	}
	return wrong;
}

} // namespace het::ptx
