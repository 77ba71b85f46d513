// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/chimera.h"

#include <algorithm>

namespace pep
{

namespace
{

// Sooner if either is too late, else cheaper.
bool is_better(const chimera_choice &a, const chimera_choice &b, double limit)
{
	const bool a_fits = a.cycles <= limit, b_fits = b.cycles <= limit;
	if (a_fits != b_fits)
		return a_fits;
	if (!a_fits || a.lost == b.lost)
		return a.cycles < b.cycles;
	return a.lost < b.lost;
}

} // namespace

// A block that is saved loses twice the time, as it is restored as well; one that drains leaves its processor to others
// that are as far as it is, so that it loses what the farthest has done more; one that is flushed loses all.
chimera_choice choose_chimera(const chimera_block &b, double limit)
{
	const double left = std::max(0.0, b.mean - b.done);
	const chimera_choice saved = {way_out::save, b.switching, 2 * b.switching * b.rate};
	const chimera_choice drained = {way_out::drain, b.rate > 0 ? left / b.rate : 1e300,
					std::max(0.0, b.most_done - b.done)};
	const chimera_choice flushed = {way_out::flush, 0, b.done};
	chimera_choice best = is_better(drained, saved, limit) ? drained : saved;
	if (b.may_flush && is_better(flushed, best, limit))
		best = flushed;
	return best;
}

} // namespace pep
