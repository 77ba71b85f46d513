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

} // namespace

// Paths fill like vessels: the one that begins first carries alone until the next one begins.
ending quickest(const question &q, path_set among)
{
	offer offers[most_paths];
	unsigned n = offers_of(q, among, offers);
	double rate = 0, weighted = 0;
	ending e = {0, std::numeric_limits<double>::infinity()};
	for (unsigned i = 0; i < n && offers[i].begins < e.end; i++) {
		rate += offers[i].rate;
		weighted += offers[i].rate * offers[i].begins;
		e.end = (double(q.bytes) + weighted) / rate;
		e.carriers |= only(offers[i].path);
	}
	return e;
}

double end_of(const question &q, path_set paths)
{
	return quickest(q, paths).end;
}

} // namespace het::paths
