// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/foresight.h"

#include <algorithm>
#include <bit>

namespace het
{

namespace
{

using enum chunk_history::flag;

constexpr uint8_t is_shown = is_shown_read | is_shown_write;

constexpr unsigned longest_period = 8;
// A thing is believed after so many times in succession.
constexpr unsigned believed = 3;
// Scores have two bits.
constexpr unsigned highest = 3;

constexpr uint32_t smallest_group = 8, groups = 16;
constexpr uint32_t first_ask = 8, rarest_ask = 1024;
// To ask may cost so small a part of what is copied.
constexpr uint64_t asked_part = 50;
constexpr uint32_t least_unprobed = 2;
constexpr uint32_t first_rest = 16, longest_rest = 1024;
// Sums of what happened of late are halved when they get here.
constexpr uint32_t many_touches = 1 << 12;

struct score {
	unsigned touched, written;
};

score score_of(const chunk_history &h, unsigned k)
{
	unsigned bits = h.scores >> (4 * k) & 15u;
	return {bits & 3u, bits >> 2};
}

void set_score(chunk_history &h, unsigned k, score s)
{
	h.scores = uint16_t((h.scores & ~(15u << (4 * k))) | (s.touched | s.written << 2) << (4 * k));
}

// Returns whether nothing was seen of the chunk of late: then there is nothing to learn, and the learned kind expects
// nothing of it. Of a large array most chunks are such, at each end.
bool is_blank(const chunk_history &h)
{
	return !h.scores && !h.flags;
}

void raise(unsigned &n)
{
	n = std::min(n + 1, highest);
}

} // namespace

// Chooses, among the periods, the one that explains most; each must have been seen twice.
bool continues_with_one(uint32_t history, unsigned known)
{
	unsigned best = 0, period = 0;
	for (unsigned p = 1; p <= longest_period && p < known; p++) {
		uint32_t differs = history ^ (history >> p);
		unsigned same = std::min(unsigned(std::countr_zero(differs)), known - p);
		if (same >= std::max(believed - 1, p) && same > best) {
			best = same;
			period = p;
		}
	}
	return period && (history >> (period - 1) & 1);
}

void foresight::open(chunk_history *chunks, uint32_t count, uint32_t pages, uint32_t bytes, foresight_kind kind,
		     bool asks_in_place)
{
	*this = {};
	chunks_ = chunks;
	count_ = count;
	pages_ = pages;
	bytes_ = bytes;
	kind_ = kind;
	asks_in_place_ = asks_in_place;
	group_ = std::max(smallest_group, count / groups);
	next_rest_ = first_rest;
}

void foresight::touched(uint32_t first, uint32_t count, bool write)
{
	if (touches_ >= many_touches) {
		touches_ /= 2;
		brought_ /= 2;
	}
	touches_++;
	brought_ += count;
	for (uint32_t c = first; c < first + count; c++) {
		chunks_[c].flags |= write ? was_read | was_written : was_read;
		if (chunks_[c].kernel)
			kernels_[chunks_[c].kernel - 1].touched = true;
	}
}

void foresight::answer(uint32_t c, expectation used)
{
	chunk_history &h = chunks_[c];
	if (used == expectation::nothing)
		return;
	h.flags |= used == expectation::write ? was_read | was_written : was_read;
	if (h.kernel)
		kernels_[h.kernel - 1].touched = true;
}

// A copy that took long may have waited for a processor, as the touches that it saves would have.
void foresight::copied(uint64_t bytes, uint64_t ns)
{
	if (!bytes)
		return;
	uint64_t took = ns * (64 << 10) / bytes, &now = costs_.copy_64k;
	now = took < now ? (now + took) / 2 : now + (took - now) / 64;
}

// ---- learning ----------------------------------------------------------------------------------------

// The kernel that has not been seen for longest makes room. What its chunks remember is no worse than nothing: the
// intervals tell whether it is believed.
foresight::kernel &foresight::find(uint64_t name)
{
	kernel *oldest = kernels_;
	for (kernel &k : kernels_) {
		if (k.age && k.name == name)
			return k;
		if (k.age < oldest->age)
			oldest = &k;
	}
	*oldest = {};
	oldest->name = name;
	return *oldest;
}

// Chunks that were asked stand for those of their group that were shown.
void foresight::judge(uint32_t first, uint32_t last, verdict &v)
{
	for (uint32_t c = first; c < last; c++) {
		chunk_history &h = chunks_[c];
		if (!(h.flags & is_asked))
			continue;
		kernel &k = kernels_[h.kernel - 1];
		bool answered = h.flags & was_read;
		if (k.probes) {
			k.suspects = !answered;
			continue;
		}
		k.answered += answered;
		uint32_t begin = group_begin(c), end = std::min(begin + group_, count_);
		uint64_t shown = 1;
		for (uint32_t i = begin; i < end; i++) {
			if (!(chunks_[i].flags & is_shown) || chunks_[i].flags & is_asked)
				continue;
			shown++;
			if (!answered)
				chunks_[i].flags |= is_doubted;
		}
		// When nobody wanted it, half of the time since it was asked is as good a guess as any.
		uint64_t uses = shown * std::max(k.uses, 1u);
		v.used += answered ? uses : uses / 2;
		v.in_vain += answered ? 0 : uses - uses / 2;
	}
}

void foresight::learn(chunk_history &h)
{
	if (h.kernel) {
		unsigned k = h.kernel - 1u;
		score s = score_of(h, k);
		bool touched = h.flags & was_read, written = h.flags & was_written;
		// Of what was shown and not asked nothing is known, but that what is shown read-only was not written.
		bool unseen = h.flags & is_shown && !(h.flags & is_asked);
		if (touched)
			raise(s.touched);
		else if (!unseen && (kernels_[k].touched || kernels_[k].foresaw))
			s.touched = 0;
		if (written)
			raise(s.written);
		else if (unseen ? h.flags & is_shown_read : touched)
			s.written = 0;
		set_score(h, k, s);
	}
	h.flags &= is_doubted;
}

void foresight::end_interval(kernel &k, uint32_t unseen)
{
	if (k.age) {
		uint32_t n = std::min(unseen, 31u);
		bool touched = k.touched || (k.foresaw && (!k.asked || k.answered));
		k.intervals = uint32_t(uint64_t{k.intervals} << (n + 1)) | touched;
		k.known = uint8_t(std::min<uint32_t>(k.known + n + 1, 32));
	}
	if (k.asked) {
		if (k.answered == k.asked)
			k.confirmed += k.uses;
		else
			k.confirmed = k.answered > k.asked / 2 ? std::max(k.confirmed / 2, 1u) : 0;
		k.uses = 0;
	}
	k.touched = k.foresaw = k.probes = false;
	k.asked = k.answered = 0;
	k.age = ++ends_;
}

void foresight::count(verdict v)
{
	used_ += v.used;
	in_vain_ += v.in_vain;
	if (v.used && !v.in_vain)
		next_rest_ = first_rest;
	if (in_vain_ <= used_ / 10 + count_ / 2 + group_ && is_worth_it())
		return;
	rest_ = next_rest_;
	next_rest_ = std::min(next_rest_ * 2, longest_rest);
	used_ /= 2;
	in_vain_ /= 2;
}

foresight::verdict foresight::kernel_ended(uint64_t name, uint32_t first, uint32_t last, uint32_t unseen, bool may)
{
	verdict v{0, 0};
	kernel &k = find(name);
	if (is_asked_)
		judge(first, last, v);
	is_asked_ = is_asked_ && last - first < count_;
	last_ = uint8_t(&k - kernels_);
	for (uint32_t c = first; c < last; c++) {
		if (!is_blank(chunks_[c]))
			learn(chunks_[c]);
		chunks_[c].kernel = uint8_t(last_ + 1);
	}
	end_interval(k, unseen);
	if (!rest_ && learns(kind_))
		count(v);
	bool sure = !learns(kind_) || (!rest_ && continues_with_one(k.intervals, k.known));
	rest_ -= rest_ > 0;
	expect(k, first, last, may && sure);
	return v;
}

// ---- foretelling -------------------------------------------------------------------------------------

// A copy in vain costs its time. Otherwise it saves the pages' way out and back, and a part of a touch.
bool foresight::is_worth_it() const
{
	uint64_t copy = costs_.copy_64k * bytes_ >> 16;
	uint64_t saved = pages_ * (costs_.page_taken + costs_.page_shown) +
			 costs_.touch * std::max(touches_, 1u) / std::max(brought_, 1u);
	// The condition is p * saved > (1 - p) * copy, where p is what the answers say.
	return kind_ == foresight_kind::eager || (used_ + 8 * uint64_t{group_}) * saved > (in_vain_ + group_) * copy;
}

expectation foresight::guess(const chunk_history &h, unsigned k)
{
	score s = score_of(h, k);
	switch (kind_) {
	case foresight_kind::off:
		break;
	case foresight_kind::learned:
	case foresight_kind::eager:
		if (s.touched < believed || (h.flags & is_doubted))
			break;
		return s.written >= believed - 1 ? expectation::write : expectation::read;
	case foresight_kind::always:
		return s.written ? expectation::write : expectation::read;
	case foresight_kind::random:
		random_ = random_ * 6364136223846793005u + 1442695040888963407u;
		return expectation((random_ >> 33) % 3);
	}
	return expectation::nothing;
}

void foresight::expect(kernel &k, uint32_t first, uint32_t last, bool any)
{
	expected_ = last_expected_ = 0;
	for (uint32_t c = first; c < last; c++) {
		chunk_history &h = chunks_[c];
		if (is_blank(h) && learns(kind_))
			continue;
		expectation e = any ? guess(h, last_) : expectation::nothing;
		h.flags = e == expectation::read ? is_shown_read : e == expectation::write ? is_shown_write : 0;
		if (e == expectation::nothing)
			continue;
		if (!expected_++)
			first_expected_ = c;
		last_expected_ = c + 1;
	}
	k.foresaw = any_expected();
	if (!learns(kind_) || !any_expected())
		return;
	if (++k.uses >= uses_until_asked(k) || k.suspects)
		ask_groups(k, first, last);
	else if (++k.unprobed >= std::max(ends_between(1), least_unprobed))
		probe(k, first, last);
}

uint32_t foresight::uses_until_asked(const kernel &k) const
{
	if (!k.confirmed)
		return 1;
	uint32_t rarely = k.confirmed / 8;
	if (asks_in_place_)
		rarely = std::min(rarely, ends_between(expected_ / group_ + 1));
	return std::clamp(rarely, first_ask, rarest_ask);
}

// Each group gives one of those that are expected, another each time.
void foresight::ask_groups(kernel &k, uint32_t first, uint32_t last)
{
	asks_++;
	for (uint32_t c = first; c < last; c = group_begin(c) + group_)
		k.asked += ask_one(c, std::min(group_begin(c) + group_, last), uint64_t{asks_} * 7);
	k.suspects = false;
	k.unprobed = 0;
}

// Each chunk that is expected has its turn, neighbours far from each other.
void foresight::probe(kernel &k, uint32_t first, uint32_t last)
{
	k.probes = ask_one(first, last, ++probes_ * uint64_t{0x9e3779b1});
	k.unprobed = 0;
}

uint64_t foresight::ask_cost() const
{
	uint64_t in_place = costs_.fault + pages_ * (costs_.page_taken + costs_.page_shown / 4);
	return asks_in_place_ ? std::min(in_place, costs_.touch) : costs_.touch;
}

// So many chunks may be asked as often as that is a small part of what is copied.
uint32_t foresight::ends_between(uint64_t asked) const
{
	uint64_t copies = std::max(expected_ * (costs_.copy_64k * bytes_ >> 16), uint64_t{1});
	return uint32_t(std::min(asked * ask_cost() * asked_part / copies, uint64_t{rarest_ask}));
}

bool foresight::ask_one(uint32_t first, uint32_t last, uint64_t turn)
{
	uint32_t n = last - first, start = uint32_t(turn % n);
	for (uint32_t i = 0; i < n; i++) {
		chunk_history &h = chunks_[first + (start + i) % n];
		if (!(h.flags & is_shown))
			continue;
		h.flags = uint8_t(is_asked | (asks_in_place_ ? h.flags : 0));
		is_asked_ = true;
		return true;
	}
	return false;
}

void foresight::was_taken(uint32_t c)
{
	chunks_[c].flags &= uint8_t(~is_shown);
}

// An end that nobody sees stands for an interval without touches, so this shifts some into the history.
uint32_t foresight::ends_until_next() const
{
	const kernel &k = kernels_[last_];
	if (!learns(kind_))
		return 0;
	for (unsigned n = 1; n <= 2 * longest_period; n++) {
		if (continues_with_one(k.intervals << n, std::min(k.known + n, 32u)))
			return n - 1;
	}
	return UINT32_MAX;
}

} // namespace het
