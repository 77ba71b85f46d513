// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/observer.h"

#include "simt/lanewise.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr unsigned line_shift = 7, page_shift = 16, bank_shift = 2, banks = 32;

bool in_shared(const uop &u, uint64_t address)
{
	return u.space == space::shared || (u.space == space::none && address - shared_window < window_bytes);
}

bool in_global(const uop &u, uint64_t address)
{
	return u.space == space::global || u.space == space::constant ||
	       (u.space == space::none && address - shared_window >= function_window + window_bytes - shared_window);
}

uint64_t shared_offset(const uop &u, uint64_t address)
{
	return u.space == space::shared ? address : address - shared_window;
}

unsigned distinct(uint64_t *values, unsigned n)
{
	std::sort(values, values + n);
	return unsigned(std::unique(values, values + n) - values);
}

bool is_write(const uop &u)
{
	return u.touches & touches_write;
}

} // namespace

void addresses_of(const context &c, const uop &u, lanes m, uint64_t *to)
{
	const uint64_t *a = c.at(u.a);
	for_lanes(m, [&](unsigned l) { to[l] = address_at(u, a, l); });
}

void observer::begin(const block &b)
{
	if (o_.check_races)
		shared_[b.number % o_.resident_blocks].assign(b.shared.size(), {});
}

std::optional<observer::race> observer::access(const context &c, const warp &w, const uop &u, uint32_t function,
					       uint32_t pc, lanes m)
{
	uint64_t addresses[warp_size] = {};
	addresses_of(c, u, m, addresses);
	if (o_.statistics)
		count(w, u, addresses, m, &accesses_[{function, pc}]);
	return o_.check_races ? check(w, u, addresses, m) : std::nullopt;
}

// An access that crosses a line (it can't: accesses are aligned) would count once.
void observer::count(const warp &, const uop &u, const uint64_t *addresses, lanes m, op_accesses *sum)
{
	uint64_t lines[warp_size], pages[warp_size], words[warp_size];
	unsigned n = 0, in_banks = 0;
	for_lanes(m, [&](unsigned l) {
		if (in_shared(u, addresses[l]))
			words[in_banks++] = shared_offset(u, addresses[l]) >> bank_shift;
		if (!in_global(u, addresses[l]))
			return;
		lines[n] = addresses[l] >> line_shift;
		pages[n++] = addresses[l] >> page_shift;
	});
	if (n) {
		sum->lines += distinct(lines, n);
		unsigned different = distinct(pages, n);
		sum->pages += different;
		for (unsigned i = 0; i < different; i++) {
			if (is_write(u))
				written_pages.insert(pages[i]);
			if (u.touches & touches_read)
				read_pages.insert(pages[i]);
		}
	}
	if (in_banks) {
		unsigned asked[banks] = {}, different = distinct(words, in_banks);
		for (unsigned i = 0; i < different; i++)
			asked[words[i] % banks]++;
		sum->shared++;
		sum->passes += *std::max_element(asked, asked + banks);
	}
}

std::optional<observer::race> observer::check(const warp &w, const uop &u, const uint64_t *addresses, lanes m)
{
	bool atomic = u.touches == (touches_read | touches_write);
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		if (!in_shared(u, addresses[l]))
			continue;
		for (unsigned i = 0; i < u.element * u.vector; i++)
			if (auto r = check_byte(w, l, shared_offset(u, addresses[l]) + i, is_write(u), atomic))
				return r;
	}
	return std::nullopt;
}

// Two accesses of a byte race if neither a barrier of the block nor, within a warp, a synchronisation of the warp lies
// between them, unless both read or both are atomic.
std::optional<observer::race> observer::check_byte(const warp &w, unsigned lane, uint64_t offset, bool writes,
						   bool atomic)
{
	auto &all = shared_[w.of->number % o_.resident_blocks];
	if (offset >= all.size())
		return std::nullopt;
	last_access &last = all[offset];
	uint32_t thread = w.index * warp_size + lane;
	auto unordered = [&](uint32_t other, uint32_t epoch, uint32_t warp_epoch) {
		if (other == ~0u || other == thread || epoch != w.of->epoch)
			return false;
		return other / warp_size != w.index || warp_epoch == w.epoch;
	};
	auto found = [&](const char *what, uint32_t other) {
		return race{lane, std::string(what) + "byte " + std::to_string(offset) +
					  " of shared memory, which thread " + std::to_string(other) +
					  (other == last.writer ? " has written" : " has read") +
					  " since the last barrier"};
	};
	std::optional<race> r;
	if (unordered(last.writer, last.epoch, last.warp_epoch) && !(atomic && last.atomic))
		r = found(writes ? "writes " : "reads ", last.writer);
	else if (writes && !atomic && unordered(last.reader, last.read_epoch, last.read_warp_epoch))
		r = found("writes ", last.reader);
	else if (writes && last.many_readers && last.read_epoch == w.of->epoch &&
		 (last.reader / warp_size != w.index || last.read_warp_epoch == w.epoch))
		r = found("writes ", last.reader);
	if (writes) {
		last.writer = thread;
		last.epoch = w.of->epoch;
		last.warp_epoch = w.epoch;
		last.atomic = atomic;
	} else {
		last.many_readers = last.reader != ~0u && last.reader != thread && last.read_epoch == w.of->epoch;
		last.reader = thread;
		last.read_epoch = w.of->epoch;
		last.read_warp_epoch = w.epoch;
	}
	return r;
}

} // namespace het::ptx::simt
