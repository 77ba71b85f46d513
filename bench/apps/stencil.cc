// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes heat on a plate over many steps.
#include "apps/common/heat.h"
#include "common/format.h"

using namespace bench;

namespace
{

// Holds the temperatures at the start and after the steps.
struct plate {
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
				       uint32_t(s_.height), heat_rate);
		h.finish();
	}
	void by_hand(plain_device &d) override
	{
		points_[0].send();
		for (unsigned s = 0; s < s_.steps; s++)
			launch(d, "relax", items(), points_[s % 2], points_[(s + 1) % 2], uint32_t(s_.width),
			       uint32_t(s_.height), heat_rate);
		points_[s_.steps % 2].fetch();
	}
	double error(unsigned input) const override
	{
		return distance(points_[s_.steps % 2].host, plates_[input].end, 1);
	}

      private:
	het::work items() const { return heat_items(s_.width, s_.height); }

	const std::vector<plate> &plates_;
	const sizes s_;
	mirrored<float> points_[2];
};

int run(const app_options &o, sizes s)
{
	if (o.small)
		s = {100, 70, 10};
	std::vector<plate> plates;
	for (unsigned input = 0; input < problem::inputs; input++) {
		std::vector<float> start = random_floats(s.points(), input + 1, 0, 100);
		std::vector<double> end = heat_after(start, s.width, s.height, s.steps);
		plates.push_back({std::move(start), std::move(end)});
	}
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
