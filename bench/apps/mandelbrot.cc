// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes the Mandelbrot set: points inside take as many steps as are allowed, and most others few, so that groups
// differ widely.
#include "apps/common/app.h"
#include "common/format.h"

#include <algorithm>
#include <thread>

namespace bench
{
extern const kernel_text mandelbrot_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 16;

uint32_t escape(float cr, float ci, uint32_t most)
{
	float zr = 0, zi = 0;
	uint32_t s = 0;
	while (s < most && zr * zr + zi * zi <= 4) {
		const float next = zr * zr - zi * zi + cr;
		zi = 2 * zr * zi + ci;
		zr = next;
		s++;
	}
	return s;
}

void escape_on_host(const het_group *g, void *const *args)
{
	uint32_t *steps = array_of<uint32_t>(args, 0);
	const size_t width = value_of<uint32_t>(args, 1), height = value_of<uint32_t>(args, 2);
	const float left = value_of<float>(args, 3), top = value_of<float>(args, 4), pixel = value_of<float>(args, 5);
	const uint32_t most = value_of<uint32_t>(args, 6);
	for_items(g, 1, height, [&](size_t y) {
		for_items(g, 0, width, [&](size_t x) {
			steps[y * width + x] = escape(left + pixel * float(x), top + pixel * float(y), most);
		});
	});
}

// A view is a part of the plane, and the steps of each of its points.
struct view {
	float left, top, pixel;
	std::vector<uint32_t> steps;
};

struct sizes {
	size_t width = 1024, height = 768;
	unsigned most = 500;
};

view make_view(const sizes &s, unsigned input)
{
	view v = {-2.1f, -1.2f, 3.2f / float(s.width), {}};
	if (input)
		v = {-0.9f, 0.0f, 0.4f / float(s.width), {}};
	v.steps.resize(s.width * s.height);
	// Threads take rows by turns, as some have a hundred times the work of others.
	const size_t threads = std::max(1u, std::thread::hardware_concurrency());
	auto compute_rows = [&](size_t first) {
		for (size_t y = first; y < s.height; y += threads)
			for (size_t x = 0; x < s.width; x++)
				v.steps[y * s.width + x] =
					escape(v.left + v.pixel * float(x), v.top + v.pixel * float(y), s.most);
	};
	std::vector<std::jthread> crew;
	for (size_t i = 0; i < threads; i++)
		crew.emplace_back(compute_rows, i);
	crew.clear();
	return v;
}

class picture_of_set final : public problem
{
      public:
	picture_of_set(const std::vector<view> &views, const sizes &s, plain_device *d)
	    : views_(views), s_(s), steps_(d, s.width * s.height)
	{
	}

	// There is no input but numbers.
	void write(unsigned input) override { view_ = &views_[input]; }
	void with_het(het_side &h) override
	{
		h.launch_split("escape", items(), het::write(steps_.host).each(s_.width), uint32_t(s_.width),
			       uint32_t(s_.height), view_->left, view_->top, view_->pixel, s_.most)
			.wait();
	}
	void by_hand(plain_device &d) override
	{
		launch(d, "escape", items(), steps_, uint32_t(s_.width), uint32_t(s_.height), view_->left, view_->top,
		       view_->pixel, s_.most);
		steps_.fetch();
	}
	// Returns the share of points with other steps.
	double error(unsigned input) const override
	{
		size_t wrong = 0;
		for (size_t i = 0; i < steps_.host.size(); i++)
			wrong += steps_.host[i] != views_[input].steps[i];
		return double(wrong) / double(steps_.host.size());
	}

      private:
	het::work items() const
	{
		return het::work(whole_groups_of(group, s_.width), whole_groups_of(group, s_.height))
			.groups_of(group, group);
	}

	const std::vector<view> &views_;
	const sizes s_;
	const view *view_ = nullptr;
	mirrored<uint32_t> steps_;
};

int run(const app_options &o, sizes s)
{
	if (o.small)
		s = {100, 70, 100};
	std::vector<view> views;
	for (unsigned input = 0; input < problem::inputs; input++)
		views.push_back(make_view(s, input));
	application a;
	a.name = "mandelbrot";
	a.title = format("Mandelbrot set, %zu x %zu points, at most %u steps", s.width, s.height, s.most);
	a.settings = {{"width", s.width}, {"height", s.height}, {"steps", s.most}};
	a.kernels = {&mandelbrot_kernels, {{"escape", escape_on_host, 7}}};
	a.tolerance = 1e-3; // share of the points: compilers may still order the operations in another way
	a.make = [&](plain_device *d) { return std::make_unique<picture_of_set>(views, s, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	sizes s;
	command_line line("The Mandelbrot set through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--width", s.width, "points in a row");
	line.number("--height", s.height, "rows");
	line.number("--steps", s.most, "steps after which a point counts as inside");
	return line.run(argc, argv, [&] { return run(o, s); });
}
