// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Formats numbers as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace bench
{

// Does as printf, into a string.
std::string format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Gives three significant digits or so: 0.123, 1.23, 12.3, 1234.
std::string short_number(double v);

// Gives 4 KiB, 2 MiB, 1000 B.
std::string size_text(uint64_t bytes);

// Does as size_text(), with a decimal place where the number is not whole.
std::string amount_text(uint64_t bytes);

} // namespace bench
