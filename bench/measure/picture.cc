// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/picture.h"

#include "common/format.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <stdexcept>

namespace bench
{

picture read_png(const std::string &path)
{
	png_image png = {};
	png.version = PNG_IMAGE_VERSION;
	if (!png_image_begin_read_from_file(&png, path.c_str()))
		throw std::runtime_error(path + ": " + png.message);
	png.format = PNG_FORMAT_RGB;
	picture p;
	p.size = {int(png.width), int(png.height)};
	p.pixels.reset(static_cast<unsigned char *>(malloc(p.size.samples())));
	if (!p.pixels) {
		png_image_free(&png);
		throw std::bad_alloc();
	}
	const png_color black = {0, 0, 0}; // lies behind what is transparent
	if (!png_image_finish_read(&png, &black, p.pixels.get(), 0, nullptr))
		throw std::runtime_error(path + ": " + png.message);
	return p;
}

void write_png(const std::string &path, picture_size size, const unsigned char *pixels)
{
	auto folder = std::filesystem::path(path).parent_path();
	if (!folder.empty())
		std::filesystem::create_directories(folder);
	png_image png = {};
	png.version = PNG_IMAGE_VERSION;
	png.width = png_uint_32(size.width);
	png.height = png_uint_32(size.height);
	png.format = PNG_FORMAT_RGB;
	if (!png_image_write_to_file(&png, path.c_str(), 0, pixels, 0, nullptr))
		throw std::runtime_error(path + ": " + png.message);
}

std::string row_means::text() const
{
	std::string text;
	for (int i = 0; i < 3; ++i)
		text += format("  row %zu: %.2f", rows[i], means[i]);
	return text;
}

row_means look(picture_size size, const unsigned char *pixels)
{
	row_means seen = {};
	const size_t row = size_t(size.width) * 3;
	for (size_t quarter = 1; quarter <= 3; ++quarter) {
		const size_t y = size_t(size.height) * quarter / 4;
		double sum = 0;
		for (size_t i = 0; i < row; ++i)
			sum += pixels[y * row + i];
		seen.rows[quarter - 1] = y;
		seen.means[quarter - 1] = sum / double(row);
	}
	return seen;
}

double difference(const unsigned char *pixels, const std::vector<float> &reference)
{
	double largest = 0;
	for (size_t i = 0; i < reference.size(); ++i)
		largest = std::max(largest, std::fabs(double(pixels[i]) - double(reference[i])) - 0.5);
	return largest;
}

} // namespace bench
