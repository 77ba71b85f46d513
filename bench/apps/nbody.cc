// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Moves bodies that attract each other, each with each, over some steps. The host looks at nothing between the steps.
#include "apps/common/app.h"
#include "common/format.h"

#include <algorithm>

namespace bench
{
extern const kernel_text nbody_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t near = 64; // a group has so many bodies in local memory
constexpr float softening = 0.01f, dt = 0.001f;

// The layout is that of float4 of OpenCL and CUDA. A velocity does not use w.
struct alignas(16) body {
	float x, y, z, w;
};

void move_on_host(const het_group *g, void *const *args)
{
	const body *from = array_of<const body>(args, 0);
	body *to = array_of<body>(args, 1), *velocity = array_of<body>(args, 2);
	const size_t n = value_of<uint32_t>(args, 3);
	const float soft = value_of<float>(args, 4), step = value_of<float>(args, 5);
	for_items(g, 0, n, [&](size_t i) {
		body here = from[i], &v = velocity[i];
		float ax = 0, ay = 0, az = 0;
		for (size_t k = 0; k < n; k++) {
			const float dx = from[k].x - here.x, dy = from[k].y - here.y, dz = from[k].z - here.z;
			const float r2 = dx * dx + dy * dy + dz * dz + soft;
			const float pull = from[k].w / (r2 * std::sqrt(r2));
			ax += dx * pull;
			ay += dy * pull;
			az += dz * pull;
		}
		v = {v.x + ax * step, v.y + ay * step, v.z + az * step, v.w};
		to[i] = {here.x + v.x * step, here.y + v.y * step, here.z + v.z * step, here.w};
	});
}

// Holds a start, and where the bodies are after the steps, in doubles.
struct system_of_bodies {
	system_of_bodies(size_t n, unsigned steps, unsigned seed) : start(n), end(3 * n)
	{
		const auto random = random_floats(4 * n, seed, -1, 1);
		for (size_t i = 0; i < n; i++) {
			const float *r = &random[4 * i];
			start[i] = {r[0], r[1], r[2], (1.5f + r[3]) / float(n)};
			std::copy(r, r + 3, &end[3 * i]);
		}
		std::vector<double> velocity(3 * n);
		for (unsigned s = 0; s < steps; s++)
			move(velocity);
	}

	std::vector<body> start;
	std::vector<double> end;

      private:
	void move(std::vector<double> &velocity)
	{
		const size_t n = start.size();
		for (size_t i = 0; i < n; i++) {
			double pull[3] = {};
			for (size_t k = 0; k < n; k++) {
				double d[3], square = softening;
				for (int c = 0; c < 3; c++) {
					d[c] = end[3 * k + c] - end[3 * i + c];
					square += d[c] * d[c];
				}
				const double strength = start[k].w / (square * std::sqrt(square));
				for (int c = 0; c < 3; c++)
					pull[c] += d[c] * strength;
			}
			for (int c = 0; c < 3; c++)
				velocity[3 * i + c] += pull[c] * dt;
		}
		for (size_t i = 0; i < end.size(); i++)
			end[i] += velocity[i] * dt;
	}
};

class motion final : public problem
{
      public:
	motion(const std::vector<system_of_bodies> &systems, unsigned steps, plain_device *d)
	    : systems_(systems), steps_(steps), n_(systems[0].start.size()), places_{{d, n_}, {d, n_}}, velocity_(d, n_)
	{
	}

	void write(unsigned input) override
	{
		places_[0].host = systems_[input].start;
		std::fill(velocity_.host.begin(), velocity_.host.end(), body{});
	}
	void with_het(het_side &h) override
	{
		for (unsigned s = 0; s < steps_; s++)
			h.launch_split("move_bodies", items(), het::read(places_[s % 2].host),
				       het::write(places_[(s + 1) % 2].host).each(1),
				       het::read_write(velocity_.host).each(1), uint32_t(n_), softening, dt);
		h.finish();
	}
	void by_hand(plain_device &d) override
	{
		places_[0].send();
		velocity_.send();
		for (unsigned s = 0; s < steps_; s++)
			launch(d, "move_bodies", items(), places_[s % 2], places_[(s + 1) % 2], velocity_, uint32_t(n_),
			       softening, dt);
		places_[steps_ % 2].fetch();
	}
	double error(unsigned input) const override
	{
		const auto &got = places_[steps_ % 2].host;
		const auto &wanted = systems_[input].end;
		double largest = 0;
		for (size_t i = 0; i < n_; i++)
			for (auto [value, c] : {std::pair{got[i].x, 0}, {got[i].y, 1}, {got[i].z, 2}})
				largest = std::fmax(largest, distance(value, wanted[3 * i + size_t(c)], 1));
		return largest;
	}

      private:
	het::work items() const { return het::work(n_).groups_of(near); }

	const std::vector<system_of_bodies> &systems_;
	const unsigned steps_;
	const size_t n_;
	mirrored<body> places_[2], velocity_;
};

int run(const app_options &o, size_t bodies, unsigned steps)
{
	const size_t n = whole_groups_of(near, o.small ? 256 : bodies);
	std::vector<system_of_bodies> systems;
	for (unsigned input = 0; input < problem::inputs; input++)
		systems.emplace_back(n, steps, input + 1);
	application a;
	a.name = "nbody";
	a.title = format("%zu bodies, %u steps", n, steps);
	a.settings = {{"bodies", n}, {"steps", steps}};
	a.kernels = {&nbody_kernels, {{"move_bodies", move_on_host, 6}}};
	a.tolerance = 1e-5; // relative to places between -1 and 1, in floats
	a.make = [&](plain_device *d) { return std::make_unique<motion>(systems, steps, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t bodies = 4096;
	unsigned steps = 5;
	command_line line("Bodies that attract each other, through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--bodies", bodies, "rounded up to a multiple of 64");
	line.number("--steps", steps, "steps a round");
	return line.run(argc, argv, [&] { return run(o, bodies, steps); });
}
