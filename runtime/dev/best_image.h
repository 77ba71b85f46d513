// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Goes through a fat binary's images as all devices with a driver do: the best first, the next if the driver refuses
// it.
#pragma once

#include "fatbin/pick.h"
#include "os/log.h"

#include <het.h>

namespace het::rt
{

// Images for which @is_wanted(image) is false are passed over. @build(image, bytes) returns 0, or a code; *refused is
// the driver's error then, or 0 if the code is final and has been told. @words_of gives the name of such an error.
// Returns HET_ENODEV if there is no image for this device.
template <class Build, class Words, class Wanted>
int build_best_image(const char *device, const fatbin::abilities &can, const fatbin::container &images, int *refused,
		     Words words_of, Build build, Wanted is_wanted)
{
	int err = HET_ENODEV;
	fatbin::image i;
	bool first = true;
	for (uint32_t n = 0; err && fatbin::pick(images, can, n, i); n++) {
		if (!is_wanted(i))
			continue;
		if (!first)
			inform("%s: the driver refuses the best image left (%s): trying the %s%s%s", device,
			       words_of(*refused), name_of(i.target), *i.name ? " for " : "", i.name);
		first = false;
		fatbin::bytes bytes;
		fatbin::fault why;
		if (!images.contents(i, bytes, why))
			return fail(HET_EIMAGE, "%s: %s", device, why.text);
		err = build(i, bytes);
		if (err && !*refused)
			return err;
	}
	return err;
}

template <class Build, class Words>
int build_best_image(const char *device, const fatbin::abilities &can, const fatbin::container &images, int *refused,
		     Words words_of, Build build)
{
	return build_best_image(device, can, images, refused, words_of, build,
				[](const fatbin::image &) { return true; });
}

} // namespace het::rt
