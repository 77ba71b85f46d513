// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/planted.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

namespace micro
{

namespace
{

// A model of a page size gives a clear fault where a test asks for too much.
constexpr size_t all_memory = size_t{256} << 20;

} // namespace

// Follows one thread. Loads that depend on each other are timed at once; of others it is only written down where they
// go, as the threads of a warp do them together.
class planted_target::lane final : public tracer
{
      public:
	lane(planted_target &on, spent &s) : on_(on), spent_(s)
	{
		on_.loads_.begins.push_back(on_.loads_.all.size());
		on_.locals_.begins.push_back(on_.locals_.all.size());
	}

	void on(access_kind how, uint64_t address, unsigned) override
	{
		switch (how) {
		case access_kind::dependent:
			spent_.dependent_ns += on_.load(on_.address_of(address), spent_.lines_bytes);
			break;
		case access_kind::texture:
			spent_.dependent_ns +=
				on_.load(on_.address_of(address), spent_.lines_bytes) + on_.plant_.texture_ns;
			break;
		case access_kind::constant:
			spent_.dependent_ns += on_.load_constant(on_.address_of(address));
			break;
		case access_kind::local:
			on_.locals_.all.push_back(uint32_t(address));
			break;
		case access_kind::load:
		case access_kind::store:
			on_.loads_.all.push_back(on_.address_of(address));
			break;
		}
	}
	void work(uint32_t way, uint32_t steps) override
	{
		ways_[way] += steps;
		steps_ += steps;
	}
	uint64_t clocks() const override { return uint64_t(double(steps_) * on_.plant_.clocks_a_step); }
	uint64_t nanoseconds() const override
	{
		const double ns = double(steps_) * on_.plant_.step_ns * on_.slowness();
		return on_.plant_.clocks_a_step > 0 ? uint64_t(ns) : 0;
	}

	const std::map<uint32_t, uint32_t> &ways() const { return ways_; }

      private:
	planted_target &on_;
	spent &spent_;
	std::map<uint32_t, uint32_t> ways_;
	uint64_t steps_ = 0; // of all ways
};

planted_target::planted_target(plant p) : plant_(std::move(p)), random_(plant_.seed, 20)
{
	for (size_t i = 0; i < plant_.caches.size(); i++)
		caches_.emplace_back(plant_.caches[i], plant_.page, plant_.seed + i);
	for (size_t i = 0; i < plant_.constants.size(); i++)
		constants_.emplace_back(plant_.constants[i], plant_.page, plant_.seed + i);
	for (unsigned i = 1; !caches_.empty() && i < plant_.caches.back().segments; i++)
		others_.emplace_back(plant_.caches.back(), plant_.page, plant_.seed + i);
	if (plant_.pages_held > 0) {
		planted_cache tlb;
		tlb.line = plant_.page;
		tlb.size = plant_.pages_held * plant_.page;
		tlb.ways = unsigned(std::min<size_t>(plant_.pages_held, 8));
		pages_ = std::make_unique<cache_model>(tlb, plant_.page, plant_.seed);
	}
	traits_.cpu = !plant_.forgets;
	traits_.memory = traits_.largest = all_memory;
	traits_.local_memory = 16384;
	traits_.texture_memory = plant_.texture_ns > 0 ? all_memory : 0;
	traits_.constant_memory = plant_.constant_ns > 0 ? 65536 : 0;
	traits_.units = plant_.units;
	traits_.largest_group = 1024;
}

void *planted_target::allocate(size_t nbytes)
{
	if (nbytes > all_memory)
		throw std::runtime_error("a planted device has no so large buffer");
	std::vector<std::byte> bytes(nbytes);
	void *handle = bytes.data();
	memory_[reinterpret_cast<uintptr_t>(handle)] = {std::move(bytes), next_address_};
	next_address_ += (nbytes + (size_t{1} << 21)) >> 21 << 21;
	return handle;
}

void planted_target::release(void *buffer)
{
	last_ = nullptr;
	memory_.erase(reinterpret_cast<uintptr_t>(buffer));
}

void planted_target::read(void *buffer, size_t offset, void *to, size_t nbytes)
{
	memcpy(to, static_cast<std::byte *>(buffer) + offset, nbytes);
}

void planted_target::write(void *buffer, size_t offset, const void *from, size_t nbytes)
{
	memcpy(static_cast<std::byte *>(buffer) + offset, from, nbytes);
}

uint64_t planted_target::address_of(uint64_t host) const
{
	// Most accesses are to the buffer of the last one.
	if (last_ && host - last_->first < last_->second.bytes.size())
		return last_->second.address + (host - last_->first);
	auto it = memory_.upper_bound(host);
	if (it == memory_.begin())
		throw std::logic_error("a kernel went outside of its buffers");
	--it;
	if (host - it->first >= it->second.bytes.size())
		throw std::logic_error("a kernel went outside of its buffers");
	last_ = &*it;
	return it->second.address + (host - it->first);
}

double planted_target::load(uint64_t address, double &moved)
{
	double took = 0;
	if (pages_ && !pages_->access(address))
		took += plant_.page_ns;
	for (size_t i = 0; i + 1 < caches_.size(); i++)
		if (caches_[i].access(address))
			return took + caches_[i].what().ns;
	return took + load_of_last(address, moved);
}

// A segment keeps what its threads load. Lines have their homes in all segments alike, and what a segment lacks it asks
// the line's home for, which keeps it too. So what threads of another segment have brought is near to half of all, or
// less where there are more segments.
double planted_target::load_of_last(uint64_t address, double &moved)
{
	if (caches_.empty()) {
		moved += 64;
		return plant_.memory_ns;
	}
	const planted_cache &last = plant_.caches.back();
	const auto segment = [&](size_t i) -> cache_model & { return i == 0 ? caches_.back() : others_[i - 1]; };
	if (segment(segment_).access(address))
		return last.ns;
	const size_t home = (address / last.line * 0x9e3779b97f4a7c15 >> 40) % (others_.size() + 1);
	if (home != segment_ && segment(home).access(address))
		return last.far_ns;
	moved += double(last.line);
	return plant_.memory_ns;
}

double planted_target::load_constant(uint64_t address)
{
	for (cache_model &c : constants_)
		if (c.access(address))
			return c.what().ns;
	return plant_.constant_ns;
}

// Threads of a warp that want different words of one bank wait for each other.
double planted_target::local_ns() const
{
	double sum = 0;
	for (size_t i = 0; i < locals_.count(); i++) {
		std::map<uint32_t, std::set<uint32_t>> wanted; // words of each bank
		for (size_t t = 0; t < locals_.begins.size(); t++) {
			const uint32_t word = locals_.of(t, i) / plant_.bank_bytes;
			wanted[word % std::max(1u, plant_.banks)].insert(word);
		}
		size_t longest = 1;
		for (const auto &[bank, words] : wanted)
			longest = std::max(longest, plant_.banks ? words.size() : 1);
		sum += plant_.local_ns * double(longest);
	}
	return sum;
}

// Returns how long the loads take that the threads do together: those of one line at the same time cause one access.
double planted_target::together_ns(double &moved)
{
	const uint64_t line = caches_.empty() ? 64 : caches_.front().what().line;
	double sum = 0;
	for (size_t i = 0; i < loads_.count(); i++) {
		lines_.clear();
		for (size_t t = 0; t < loads_.begins.size(); t++)
			lines_.push_back(loads_.of(t, i) / line);
		std::sort(lines_.begin(), lines_.end());
		lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
		double longest = 0;
		for (uint64_t at : lines_)
			longest = std::max(longest, load(at * line, moved));
		sum += longest;
	}
	return sum;
}

// Returns the latencies of the slowest thread's loads.
double planted_target::loads_of_warp(size_t first, size_t end, const kernel &k, arguments args, spent &s)
{
	std::map<uint32_t, uint32_t> ways; // the longest of each: all of them are gone, one after the other
	double slowest = 0;
	loads_.clear();
	locals_.clear();
	for (size_t t = first; t < end; t++) {
		spent own;
		lane l(*this, own);
		k.traced(args, t, l);
		for (const auto &[way, steps] : l.ways())
			ways[way] = std::max(ways[way], steps);
		slowest = std::max(slowest, own.dependent_ns);
		s.lines_bytes += own.lines_bytes;
	}
	for (const auto &[way, steps] : ways)
		slowest += steps * plant_.step_ns;
	s.dependent_ns = std::max(s.dependent_ns, slowest + local_ns());
	return together_ns(s.lines_bytes);
}

double planted_target::run(const kernel &k, size_t items, size_t group, arguments args)
{
	if (plant_.forgets && !caches_.empty())
		caches_.front().clear();
	if (plant_.forgets && !constants_.empty())
		constants_.front().clear();
	if (plant_.neighbours > 0 && !caches_.empty())
		caches_.back().disturb(plant_.neighbours * random_.unit());
	spent s;
	double of_warps = 0;
	size_t warps = 0;
	for (size_t t = 0; t < items; t += plant_.warp, warps++) {
		segment_ = t / group % (others_.size() + 1);
		of_warps += loads_of_warp(t, std::min(items, t + plant_.warp), k, args, s);
	}
	// Threads beyond those that the device holds at once wait for their turn.
	const double turns = std::ceil(double(items) / double(plant_.resident));
	const double waiting = turns * of_warps / double(warps) / plant_.loads_in_flight;
	// Loads that wait for each other come one at a time, so that bandwidth does not limit them.
	const double moving = of_warps > 0 ? s.lines_bytes / plant_.bytes_a_ns : 0;
	return as_measured(plant_.launch_ns + turns * s.dependent_ns + std::max(waiting, moving));
}

double planted_target::normal()
{
	return std::sqrt(-2 * std::log(1 - random_.unit())) * std::cos(2 * M_PI * random_.unit());
}

// Returns how many times as long all takes as it does when the clock has ramped up.
double planted_target::slowness() const
{
	if (seconds_ >= plant_.warm_after_s)
		return 1;
	return 1 + (plant_.slow_start - 1) * (1 - seconds_ / plant_.warm_after_s);
}

double planted_target::as_measured(double ns)
{
	ns *= slowness() * std::exp(plant_.noise * normal());
	if (random_.unit() < plant_.outliers)
		ns *= 1 + 3 * random_.unit();
	seconds_ += ns * 1e-9;
	return std::floor(ns / plant_.tick_ns) * plant_.tick_ns;
}

double planted_target::latency_of(size_t level) const
{
	return level < plant_.caches.size() ? plant_.caches[level].ns : plant_.memory_ns;
}

} // namespace micro
