// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes heat on a plate: each step makes each point the mean of itself and its four neighbours, and the rim keeps
// its temperature.
#include "apps/common/app.h"
#include "common/format.h"

namespace bench
{
extern const kernel_text stencil_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr float rate = 0.2f;
constexpr size_t group_width = 64, group_height = 4;

void relax_on_host(const het_group *g, void *const *args)
{
	const float *from = array_of<const float>(args, 0);
	float *to = array_of<float>(args, 1);
	const size_t width = value_of<uint32_t>(args, 2), height = value_of<uint32_t>(args, 3);
	const float share = value_of<float>(args, 4);
	for_items(g, 1, height, [&](size_t y) {
		for_items(g, 0, width, [&](size_t x) {
			const float *p = from + y * width + x;
			float here = *p;
			if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
				here += share * (p[-1] + p[1] + *(p - width) + p[width] - 4 * here);
			to[y * width + x] = here;
		});
	});
}

// Holds the temperatures at the start and after the steps.
struct plate {
	plate(size_t width, size_t height, unsigned steps, unsigned seed)
	    : start(random_floats(width * height, seed, 0, 100)), end(start.begin(), start.end())
	{
		std::vector<double> next = end;
		for (unsigned s = 0; s < steps; s++) {
			for (size_t y = 1; y + 1 < height; y++)
				for (size_t i = y * width + 1; i + 1 < (y + 1) * width; i++)
					next[i] = end[i] + rate * (end[i - 1] + end[i + 1] + end[i - width] +
								   end[i + width] - 4 * end[i]);
			next.swap(end);
		}
	}

	std::vector<float> start;
	std::vector<double> end;
};

struct sizes {
	size_t width = 1024, height = 1024;
	unsigned steps = 50;
	size_t points() const { return width * height; }
};

class heat final : public problem
{
      public:
	heat(const std::vector<plate> &plates, const sizes &s, plain_device *d)
	    : plates_(plates), s_(s), points_{{d, s.points()}, {d, s.points()}}
	{
	}

	void write(unsigned input) override { points_[0].host = plates_[input].start; }
	void with_het(het_side &h) override
	{
		for (unsigned s = 0; s < s_.steps; s++)
			h.launch_split("relax", items(),
				       het::read(points_[s % 2].host).each(s_.width, 3 * s_.width, -int64_t(s_.width)),
				       het::write(points_[(s + 1) % 2].host).each(s_.width), uint32_t(s_.width),
				       uint32_t(s_.height), rate);
		h.finish();
	}
	void by_hand(plain_device &d) override
	{
		points_[0].send();
		for (unsigned s = 0; s < s_.steps; s++)
			launch(d, "relax", items(), points_[s % 2], points_[(s + 1) % 2], uint32_t(s_.width),
			       uint32_t(s_.height), rate);
		points_[s_.steps % 2].fetch();
	}
	double error(unsigned input) const override
	{
		return distance(points_[s_.steps % 2].host, plates_[input].end, 1);
	}

      private:
	het::work items() const
	{
		return het::work(whole_groups_of(group_width, s_.width), whole_groups_of(group_height, s_.height))
			.groups_of(group_width, group_height);
	}

	const std::vector<plate> &plates_;
	const sizes s_;
	mirrored<float> points_[2];
};

int run(const app_options &o, sizes s)
{
	if (o.small)
		s = {100, 70, 10};
	std::vector<plate> plates;
	for (unsigned input = 0; input < problem::inputs; input++)
		plates.emplace_back(s.width, s.height, s.steps, input + 1);
	application a;
	a.name = "stencil";
	a.title = format("%zu x %zu points, %u steps", s.width, s.height, s.steps);
	a.settings = {{"width", s.width}, {"height", s.height}, {"steps", s.steps}};
	a.kernels = {&stencil_kernels, {{"relax", relax_on_host, 5}}};
	a.tolerance = 1e-4;
	a.make = [&](plain_device *d) { return std::make_unique<heat>(plates, s, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	sizes s;
	command_line line("Heat on a plate over many steps, through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--width", s.width, "points in a row");
	line.number("--height", s.height, "rows");
	line.number("--steps", s.steps, "steps a round");
	return line.run(argc, argv, [&] { return run(o, s); });
}
