// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/vessels.h"

#include <limits>

namespace het::paths
{

namespace
{

// When a path begins to carry this copy, and how fast.
struct offer {
	double begins, rate;
	unsigned path;
};

// Who begins first comes first.
unsigned offers_of(const question &q, path_set among, offer (&offers)[most_paths])
{
	unsigned n = 0;
	for (const candidate &c : q.candidates) {
		if (!(among & only(c.path)) || !c.known->known() || n == most_paths)
			continue;
		double rate = c.known->rate(), begins = c.known->start() + double(c.ahead) / rate;
		unsigned at = n++;
		for (; at && offers[at - 1].begins > begins; at--)
			offers[at] = offers[at - 1];
		offers[at] = {begins, rate, c.path};
	}
	return n;
}

// Paths fill like vessels: the one that begins first carries alone until the next one begins. Returns the end and, in
// *used, who carries anything.
double fill(const question &q, path_set among, path_set *used)
{
	offer offers[most_paths];
	unsigned n = offers_of(q, among, offers);
	double rate = 0, weighted = 0, end = std::numeric_limits<double>::infinity();
	*used = 0;
	for (unsigned i = 0; i < n && offers[i].begins < end; i++) {
		rate += offers[i].rate;
		weighted += offers[i].rate * offers[i].begins;
		end = (double(q.bytes) + weighted) / rate;
		*used |= only(offers[i].path);
	}
	return end;
}

} // namespace

double end_of(const question &q, path_set paths)
{
	path_set used;
	return fill(q, paths, &used);
}

path_set quickest(const question &q, path_set among)
{
	path_set used;
	fill(q, among, &used);
	return used;
}

} // namespace het::paths
