// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads and writes pictures in PNG files, and tells what the host looks at while they are smoothed, and whether the
// result is right.
#pragma once

#include "measure/diffusion.h"

#include <cstdlib>
#include <memory>
#include <png.h> // here, so that programs which read pictures are left out of the build where there is no libpng
#include <string>
#include <vector>

namespace bench
{

// Holds pixels in one malloc'ed array.
struct picture {
	picture_size size = {};
	std::unique_ptr<unsigned char, decltype(&free)> pixels{nullptr, free};
};

// Reads any PNG, as 8-bit RGB.
picture read_png(const std::string &path);
void write_png(const std::string &path, picture_size size, const unsigned char *pixels);

// Holds the means of the row at a quarter, the middle row, and the row at three quarters.
struct row_means {
	size_t rows[3];
	double means[3];
	std::string text() const;
};
row_means look(picture_size size, const unsigned char *pixels);

// Returns the largest distance of a pixel from what rounding the host's own result would give: 0 if all are right.
double difference(const unsigned char *pixels, const std::vector<float> &reference);

// Limits difference(), in levels of 256: float rounding may add up to this.
inline constexpr double picture_tolerance = 0.01;

} // namespace bench
