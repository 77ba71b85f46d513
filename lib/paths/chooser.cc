// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/chooser.h"

#include "paths/vessels.h"

#include <algorithm>
#include <limits>

namespace het::paths
{

namespace
{

// Of the bytes that went elsewhere so many parts go into questions, of at least and at most so many bytes. A path that
// nobody has asked yet need not wait.
constexpr size_t asked_part = 100, least_question = 256 << 10, most_question = 2 << 20;
constexpr double asked_time = 20;
// What held a copy up for longer than all others took is asked so much later each time, and not later than that.
constexpr double more_peace = 2, most_peace = 16;
// After a piece that took so much longer than expected kernels carry for so many times as long. Where one has not
// begun, others have taken the multiprocessors.
constexpr uint64_t long_stall_ns = 5'000'000;
constexpr double kernels_carry = 100, kernels_rest_ns = 50e6;
// A link on which kernels carry nearly what engines could, for so long, is free: engines carry a tenth more.
constexpr double nearly = 0.75, calm_ns = 150e6;
constexpr uint8_t most_failures = 3;
// Sharing pays if it gains so much; if it does not, it is tried after twice as many copies as before.
constexpr double worth_sharing = 1.0 / 16, alone_weight = 1.0 / 4;
constexpr uint8_t most_vain = 64;
constexpr size_t question_grain = 64 << 10;
// What is quicker than this, in bytes a ns, is no PCIe link; and what a copy may wait besides.
constexpr double twice_pcie = 110, some_wait_ns = 100'000;

} // namespace

unsigned chooser::class_of(size_t bytes)
{
	return bytes < size_t{1} << 20 ? 0 : bytes < size_t{8} << 20 ? 1 : bytes < size_t{64} << 20 ? 2 : 3;
}

void chooser::open(const journey &j, const policy &p)
{
	journey_ = j;
	policy_ = &p;
	present_ = only(j.gpu);
	for (path_set &c : current_)
		c = present_;
	credit_ = most_question;
}

void chooser::add(unsigned path)
{
	present_ |= only(path);
	for (auto *known : {known_[path], known_of_kernels_[path]})
		std::fill(known, known + classes, estimate{});
	for (double *since : {waited_ns_, in_peace_ns_, stalled_ns_, kernel_rests_ns_, calm_ns_})
		since[path] = 0;
	failures_[path] = 0;
}

bool chooser::failed(unsigned path)
{
	if (++failures_[path] < most_failures)
		return false;
	drop(path);
	return true;
}

void chooser::drop(unsigned path)
{
	if (path == journey_.gpu)
		return;
	present_ &= path_set(~only(path));
	kernels_ &= path_set(~only(path));
	for (path_set &c : current_) {
		c &= present_;
		c = c ? c : only(journey_.gpu);
	}
}

const estimate &chooser::known(unsigned path, size_t bytes) const
{
	const auto &known = by_kernel(path) ? known_of_kernels_[path] : known_[path];
	unsigned wanted = class_of(bytes);
	for (unsigned away = 0; away < classes; away++) {
		if (wanted + away < classes && known[wanted + away].known())
			return known[wanted + away];
		if (wanted >= away && known[wanted - away].known())
			return known[wanted - away];
	}
	return known[wanted];
}

// An answer that comes before the copy's own end is not waited for.
bool chooser::may_ask(const candidate &c, size_t bytes, const question &q) const
{
	if (!c.known->known())
		return true;
	if (credit_ < bytes || waited_ns_[c.path] < in_peace_ns_[c.path])
		return false;
	double answer = c.known->ns_for(bytes);
	return asked_time * answer < waited_ns_[c.path] || answer < end_of(q, q.current);
}

// Returns the one that has been silent for longest, and takes what is asked from the credit.
path_set chooser::whom_to_ask(const question &q, size_t bytes)
{
	const candidate *silent = nullptr;
	for (const candidate &c : q.candidates) {
		bool is_more = !silent || waited_ns_[c.path] > waited_ns_[silent->path] || !c.known->known();
		if (is_more && (waited_ns_[c.path] > 0 || !c.known->known()) && may_ask(c, bytes, q))
			silent = &c;
	}
	if (!silent)
		return 0;
	credit_ -= std::min(credit_, bytes);
	return only(silent->path);
}

// Paths between GPUs may share what no link here stands for: a GPU's ports to a switch, or the host's memory. So their
// rates add up to less, and the direct path alone may be as quick. That counts while it is what it was.
bool chooser::is_vain(unsigned size_class)
{
	const estimate &direct = known_[journey_.gpu][size_class];
	if (!rest_[size_class] || direct.is_congested() || 2 * direct.rate() < alone_[size_class])
		return false;
	rest_[size_class]--;
	return true;
}

void chooser::judge(size_t bytes, uint64_t ns)
{
	const unsigned c = class_of(bytes);
	const double rate = double(bytes) / double(std::max<uint64_t>(ns, 1));
	if (current_[c] == only(journey_.gpu)) {
		alone_[c] += (alone_[c] > 0 ? alone_weight : 1) * (rate - alone_[c]);
	} else if (rate < alone_[c] * (1 + worth_sharing)) {
		vain_[c] = uint8_t(std::clamp(2 * vain_[c], 1, int(most_vain)));
		rest_[c] = vain_[c];
	} else {
		vain_[c] = 0;
	}
}

// The host's way between two GPUs takes the links that copies with the host want, and carries a seventh of what a link
// does that joins two. So it is for who has no such link, or finds it full.
bool chooser::is_worth_a_look(unsigned path, size_t bytes) const
{
	const bool host = journey_.d == direction::between && path == journey_.peer;
	if (!host || !policy_->asks_unused())
		return true;
	const estimate &direct = known(journey_.gpu, bytes);
	return direct.known() && direct.ns_for(bytes) > double(bytes) / twice_pcie + some_wait_ns;
}

// The direct path is the first.
unsigned chooser::list_candidates(size_t bytes, const traffic &t, candidate (&to)[most_paths]) const
{
	unsigned n = 0;
	auto add = [&](unsigned path) { to[n++] = {path, &known(path, bytes), t.ahead(route_of(journey_, path))}; };
	add(journey_.gpu);
	for (unsigned path = 0; path < most_paths; path++) {
		if (path != journey_.gpu && (present_ & only(path)) && is_worth_a_look(path, bytes))
			add(path);
	}
	return n;
}

// Small copies go directly.
double chooser::expected_ns(size_t bytes, const traffic &t) const
{
	candidate candidates[most_paths];
	const unsigned n = list_candidates(bytes, t, candidates);
	const path_set taken = bytes < least_split ? only(journey_.gpu) : current_[class_of(bytes)];
	const double end = end_of({bytes, {candidates, n}, taken}, taken);
	return end < std::numeric_limits<double>::infinity() ? end : 0;
}

plan chooser::choose(size_t bytes, const traffic &t)
{
	candidate candidates[most_paths];
	const unsigned n = list_candidates(bytes, t, candidates);
	path_set &current = current_[class_of(bytes)];
	plan p{.carriers = policy_->choose({bytes, {candidates, n}, current})};
	if (p.carriers != only(journey_.gpu) && is_vain(class_of(bytes)))
		p.carriers = only(journey_.gpu);
	switches_ += p.carriers != current;
	current = p.carriers;
	for (unsigned path = 0; path < most_paths; path++)
		p.by_kernel |= by_kernel(path) ? only(path) : 0;
	if (!policy_->asks_unused())
		return p;
	p.question = std::clamp(bytes / asked_part / question_grain * question_grain, least_question, most_question);
	if (bytes > 2 * p.question)
		p.asked = whom_to_ask({bytes, {candidates, n}, current}, p.question);
	p.spare = present_ & path_set(~(p.carriers | p.asked));
	return p;
}

// What other sizes have seen of the path before is not what this one will see.
void chooser::learn(unsigned path, size_t bytes, size_t carried, const estimate &e, bool by_kernel)
{
	count(path, carried);
	if (carried)
		(by_kernel ? known_of_kernels_ : known_)[path][class_of(bytes)] = e;
}

void chooser::held_up(unsigned path, uint64_t waited_ns, uint64_t ns)
{
	const double least = asked_time * double(waited_ns);
	double &peace = in_peace_ns_[path];
	peace = 2 * waited_ns < ns ? 0 : std::clamp(more_peace * peace, least, most_peace * least);
}

void chooser::stalled(unsigned path, uint64_t ns)
{
	if (policy_->takes_kernels() && ns > long_stall_ns)
		stalled_ns_[path] = std::max(stalled_ns_[path], kernels_carry * double(ns));
}

void chooser::kernel_waited(unsigned path)
{
	kernel_rests_ns_[path] = kernels_rest_ns;
}

bool chooser::is_calm(unsigned path, size_t bytes) const
{
	double engine = 0;
	for (const estimate &e : known_[path])
		engine = std::max(engine, e.best_rate());
	return known_of_kernels_[path][class_of(bytes)].rate() > nearly * engine;
}

void chooser::passed(size_t bytes, uint64_t ns, path_set carried)
{
	if (journey_.d == direction::between && policy_->asks_unused())
		judge(bytes, ns);
	credit_ = std::min(most_question, credit_ + bytes / asked_part);
	for (unsigned path = 0; path < most_paths; path++)
		waited_ns_[path] = carried & only(path) ? 0 : waited_ns_[path] + double(ns);
	for (unsigned path = 0; path < most_paths; path++) {
		if (carried & only(path))
			calm_ns_[path] = by_kernel(path) && is_calm(path, bytes) ? calm_ns_[path] + double(ns) : 0;
		if (calm_ns_[path] > calm_ns)
			stalled_ns_[path] = calm_ns_[path] = 0;
	}
	for (auto *left : {stalled_ns_, kernel_rests_ns_}) {
		for (unsigned path = 0; path < most_paths; path++)
			left[path] = std::max(0.0, left[path] - double(ns));
	}
}

} // namespace het::paths
