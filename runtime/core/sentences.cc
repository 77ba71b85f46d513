// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/sentences.h"

#include <het.h>

namespace het::rt
{

const char *sentence_of(int code)
{
	switch (code) {
	case 0:
		return "success";
	case HET_ENOMEM:
		return "memory, a thread or another resource of the host could not be had";
	case HET_ENULL:
		return "an argument is null that must not be";
	case HET_EARG:
		return "an argument is out of range, contradicts another, or is of a newer version";
	case HET_ENODEV:
		return "no such device, or none that can run the kernel";
	case HET_EBUILD:
		return "the program does not build for the device";
	case HET_ENAME:
		return "the program has no kernel of that name";
	case HET_EDEVICE:
		return "a call of the device's API failed";
	case HET_EMEMORY:
		return "the host memory can't be used by a device, or was freed before the command ran";
	case HET_EWAIT:
		return "a command that this one waited for has failed";
	case HET_ECANCELED:
		return "the command was cancelled";
	case HET_ESTATE:
		return "not allowed in this state";
	case HET_EIMAGE:
		return "a fat binary can't be read";
	case HET_EFILE:
		return "a checkpoint file can't be read or written";
	default:
		return "not an error code of het";
	}
}

} // namespace het::rt
