// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/touch_ratio.h"

namespace bench
{

figure touch_ratio(const touch_outcome &all, const std::string &what, const touch_subject &a, const touch_cell &ca,
		   touch_rounds ra, const touch_subject &b, const touch_cell &cb, touch_rounds rb)
{
	figure f;
	f.what = what;
	f.unit = "x";
	const touch_result *first = all.find(a, ca), *second = all.find(b, cb);
	if (first && second)
		f.value = paired_ratio(first->*ra, second->*rb);
	else
		f.why_missing = (first ? b : a).name() + " is not available";
	return f;
}

} // namespace bench
