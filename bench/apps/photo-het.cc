// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Does what photo does, but through het_launch(): it smooths a picture, of which the host looks at a few rows between
// the steps.
#include "apps/common/app.h"
#include "common/format.h"
#include "measure/picture.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace bench;

namespace
{

constexpr size_t group = 64;

struct photo_options {
	std::string input = "bench/data/astronaut.png";
	std::string output = "photo.png";
	unsigned steps = 30;
	unsigned steps_a_look = 5;
	float edge = 12;
};

// The kernels' host functions are those of photo, which take runs of work-items.
template <const kernel &K> void run_group(const het_group *g, arguments args)
{
	K.host(args, g->first[0], g->first[0] + g->items[0]);
}

void unpack_on_host(const het_group *g, void *const *args)
{
	const argument list[] = {args[0], args[1], value_of<int>(args, 2)};
	run_group<unpack_kernel>(g, list);
}

void diffuse_on_host(const het_group *g, void *const *args)
{
	const argument list[] = {args[0],
				 args[1],
				 value_of<int>(args, 2),
				 value_of<int>(args, 3),
				 value_of<float>(args, 4),
				 value_of<float>(args, 5)};
	run_group<diffuse_kernel>(g, list);
}

void pack_on_host(const het_group *g, void *const *args)
{
	const argument list[] = {args[0], args[1], value_of<int>(args, 2)};
	run_group<pack_kernel>(g, list);
}

// Holds a picture before and after.
struct subject {
	picture_size size;
	std::vector<unsigned char> pixels;
	std::vector<float> smooth;
};

// Between the steps the picture is in floats that only the device sees: memory objects, or buffers.
class smoothing final : public problem
{
      public:
	smoothing(const std::vector<subject> &subjects, const photo_options &o, plain_device *d)
	    : subjects_(subjects), o_(o), size_(subjects[0].size),
	      pixels_(d, size_.samples()), floats_{{d, d ? size_.samples() : 0}, {d, d ? size_.samples() : 0}}
	{
		if (!d)
			for (auto &m : objects_)
				m = het::memory(size_.samples() * sizeof(float));
	}

	void write(unsigned input) override { pixels_.host = subjects_[input].pixels; }
	void with_het(het_side &h) override
	{
		const size_t one = sizeof(float), row = size_t(size_.width) * 3 * one;
		h.launch_split("unpack", items(), het::read(pixels_.host).each(1), het::write(objects_[0]).each(one),
			       samples());
		in_runs([&](unsigned step, unsigned end) {
			for (; step < end; step++)
				h.launch_split("diffuse", items(),
					       het::read(objects_[step % 2]).each(one, 2 * row + one, -int64_t(row)),
					       het::write(objects_[(step + 1) % 2]).each(one), size_.width,
					       size_.height, o_.edge, diffusion_rate);
			h.launch_split("pack", items(), het::read(objects_[end % 2]).each(one),
				       het::write(pixels_.host).each(1), samples())
				.wait();
		});
	}
	void by_hand(plain_device &d) override
	{
		pixels_.send();
		launch(d, "unpack", items(), pixels_, floats_[0], samples());
		in_runs([&](unsigned step, unsigned end) {
			for (; step < end; step++)
				launch(d, "diffuse", items(), floats_[step % 2], floats_[(step + 1) % 2], size_.width,
				       size_.height, o_.edge, diffusion_rate);
			launch(d, "pack", items(), floats_[end % 2], pixels_, samples());
			pixels_.fetch();
		});
	}
	double error(unsigned input) const override { return difference(pixels_.host.data(), subjects_[input].smooth); }

	void save() const
	{
		for (size_t i = 0; i < looks_.size(); i++)
			printf("after look %2zu:%s\n", i + 1, looks_[i].text().c_str());
		write_png(o_.output, size_, pixels_.host.data());
		printf("wrote %s\n", o_.output.c_str());
	}

      private:
	het::work items() const { return het::work(whole_groups_of(group, size_.samples())).groups_of(group); }
	int samples() const { return int(size_.samples()); }

	// Calls run(first step, end) until all steps are done, with a look of the host after each call.
	template <class F> void in_runs(F run)
	{
		looks_.clear();
		for (unsigned step = 0; step < o_.steps;) {
			const unsigned end = std::min(o_.steps, step + o_.steps_a_look);
			run(step, end);
			looks_.push_back(look(size_, pixels_.host.data()));
			step = end;
		}
	}

	const std::vector<subject> &subjects_;
	const photo_options o_;
	const picture_size size_;
	mirrored<unsigned char> pixels_;
	mirrored<float> floats_[2];
	het::memory objects_[2];
	std::vector<row_means> looks_;
};

// Returns the picture and its negative.
std::vector<subject> subjects_of(const photo_options &o)
{
	const picture p = read_png(o.input);
	std::vector<subject> subjects(problem::inputs, subject{p.size, {}, {}});
	for (unsigned input = 0; input < problem::inputs; input++) {
		subject &s = subjects[input];
		s.pixels.assign(p.pixels.get(), p.pixels.get() + p.size.samples());
		if (input)
			for (unsigned char &c : s.pixels)
				c = static_cast<unsigned char>(255 - c);
		s.smooth = diffuse_on_host(s.size, s.pixels.data(), o.steps, o.edge);
	}
	return subjects;
}

int run(const app_options &o, photo_options p)
{
	if (o.small)
		p.steps = 4;
	p.steps_a_look = std::min(p.steps_a_look, o.small ? 2 : p.steps);
	const auto subjects = subjects_of(p);
	application a;
	a.name = "photo-het";
	a.title = format("%s, %d x %d, %u steps, a look every %u", p.input.c_str(), subjects[0].size.width,
			 subjects[0].size.height, p.steps, p.steps_a_look);
	a.settings = {{"input", std::filesystem::path(p.input).filename().string()},
		      {"steps", p.steps},
		      {"steps_a_look", p.steps_a_look},
		      {"edge", p.edge}};
	a.kernels = {&diffusion_kernels,
		     {{"unpack", unpack_on_host, 3}, {"diffuse", diffuse_on_host, 6}, {"pack", pack_on_host, 3}}};
	a.tolerance = picture_tolerance;
	a.make = [&](plain_device *d) { return std::make_unique<smoothing>(subjects, p, d); };
	a.afterwards = [](const problem &done) { static_cast<const smoothing &>(done).save(); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	photo_options p;
	command_line line("Edge-preserving smoothing of a PNG through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.text("picture", p.input, "PNG to read");
	line.text("-o,--output", p.output, "PNG to write");
	line.number("--steps", p.steps, "diffusion steps");
	line.number("--look", p.steps_a_look, "steps between two looks of the host");
	line.number("--edge", p.edge, "differences above this are edges and stay (levels)");
	return line.run(argc, argv, [&] { return run(o, p); });
}
