// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace bench
{

std::string format(const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

std::string short_number(double v)
{
	double size = std::fabs(v);
	int digits = size < 1 ? 3 : size < 10 ? 2 : size < 100 ? 1 : 0;
	return format("%.*f", digits, v);
}

std::string size_text(uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
	unsigned unit = 0;
	while (unit < 3 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		++unit;
	}
	return format("%llu %s", static_cast<unsigned long long>(bytes), units[unit]);
}

std::string amount_text(uint64_t bytes)
{
	if (bytes < 1024)
		return format("%llu B", static_cast<unsigned long long>(bytes));
	if (bytes < 1024 * 1024)
		return format("%.1f KiB", double(bytes) / 1024);
	if (bytes < 1024 * 1024 * 1024)
		return format("%.1f MiB", double(bytes) / (1024 * 1024));
	return format("%.2f GiB", double(bytes) / (1024.0 * 1024 * 1024));
}

} // namespace bench
