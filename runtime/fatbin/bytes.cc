// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/bytes.h"

#include <cstdarg>
#include <cstdio>

namespace het::fatbin
{

bool fault::say(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	return false;
}

} // namespace het::fatbin
