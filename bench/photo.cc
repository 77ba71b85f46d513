// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Smooths a picture on a device. libpng reads into one malloc'ed array; kernels work on that array; the host looks at a
// few rows between the steps; libpng writes from the same pointer. No line below copies between host and device:
// gpuvm_link() says where the array lives, and begin and end say when kernels use it.
#include "common/clock.h"
#include "common/device.h"
#include "common/format.h"
#include "common/library.h"
#include "common/options.h"
#include "common/report.h"
#include "measure/picture.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

using namespace bench;

namespace
{

struct photo_options {
	std::string json;
	std::string input = "bench/data/astronaut.png";
	std::string output = "photo.png";
	std::string device;
	unsigned steps = 30;
	unsigned steps_a_look = 5;
	float edge = 12;
};

// Does the steps on the device. Between them the picture is in two float buffers that only the device sees.
void smooth(device &d, const picture &p, const photo_options &o)
{
	void *pixels = p.pixels.get();
	buffer bytes(d, p.size.samples());
	buffer from(d, p.size.samples() * sizeof(float)), to(d, p.size.samples() * sizeof(float));
	linked_array linked(pixels, p.size.samples(), 0, bytes.get(), GPUVM_ON_HOST);

	check(gpuvm_kernel_begin(pixels, 0, GPUVM_READ_ONLY), "gpuvm_kernel_begin");
	launch_unpack(d, p.size, bytes.get(), from.get());
	d.finish();
	check(gpuvm_kernel_end(pixels, 0), "gpuvm_kernel_end");
	for (unsigned done = 0; done < o.steps;) {
		const unsigned end = std::min(o.steps, done + o.steps_a_look);
		check(gpuvm_kernel_begin(pixels, 0, GPUVM_WRITE_ONLY), "gpuvm_kernel_begin");
		for (; done < end; ++done) {
			launch_step(d, p.size, from.get(), to.get(), o.edge);
			std::swap(from, to);
		}
		launch_pack(d, p.size, from.get(), bytes.get());
		d.finish();
		check(gpuvm_kernel_end(pixels, 0), "gpuvm_kernel_end");
		printf("after %3u steps:%s\n", done, look(p.size, p.pixels.get()).text().c_str());
		fflush(stdout);
	}
	write_png(o.output, p.size, p.pixels.get());
}

struct traffic {
	unsigned long long to_device, to_host, touches;
};

traffic traffic_so_far()
{
	return {count_stat(GPUVM_STAT_BYTES_TO_DEVICE), count_stat(GPUVM_STAT_BYTES_TO_HOST),
		count_stat(GPUVM_STAT_TOUCHES)};
}

// The obvious version copies the picture to the device before each run of kernels, and back after it.
unsigned long long copy_everything(const picture &p, const photo_options &o)
{
	unsigned long long runs = (o.steps + o.steps_a_look - 1) / o.steps_a_look;
	return 2 * runs * p.size.samples();
}

void write_report(const photo_options &o, device &d, const traffic &moved, unsigned long long obvious, double worst,
		  double seconds)
{
	report r("photo", {{"input", std::filesystem::path(o.input).filename().string()},
			   {"steps", o.steps},
			   {"steps_a_look", o.steps_a_look},
			   {"edge", o.edge}});
	r.document()["device"] = d.describe();
	r.document()["library"] = describe_library();
	r.value("photo/bytes_to_device", "B", double(moved.to_device));
	r.value("photo/bytes_to_host", "B", double(moved.to_host));
	r.value("photo/bytes_copy_everything", "B", double(obvious));
	r.value("photo/touches", "", double(moved.touches));
	r.value("photo/error", "levels", worst);
	r.value("photo/time", "s", seconds);
	r.write(o.json);
}

std::unique_ptr<device> choose_device(const std::string &name)
{
	return name.empty() ? std::move(open_all_devices().front()) : open_device(name);
}

int run(const photo_options &o)
{
	auto d = choose_device(o.device);
	start_library({d.get()});
	picture p = read_png(o.input);
	const std::vector<unsigned char> original(p.pixels.get(), p.pixels.get() + p.size.samples());
	printf("%s: %d x %d, %s in one array; %u steps on %s\n", o.input.c_str(), p.size.width, p.size.height,
	       amount_text(p.size.samples()).c_str(), o.steps, d->title().c_str());

	const double start = now_us();
	smooth(*d, p, o);
	const double seconds = (now_us() - start) * 1e-6;
	const traffic moved = traffic_so_far();
	const unsigned long long obvious = copy_everything(p, o);
	printf("wrote %s\n", o.output.c_str());
	printf("moved %s to the device and %s back in %llu touches; copying everything would move %s (%.1f times "
	       "more)\n",
	       amount_text(moved.to_device).c_str(), amount_text(moved.to_host).c_str(), moved.touches,
	       amount_text(obvious).c_str(), double(obvious) / double(moved.to_device + moved.to_host));

	const double worst = difference(p.pixels.get(), diffuse_on_host(p.size, original.data(), o.steps, o.edge));
	const picture written = read_png(o.output);
	const bool same_file = std::equal(p.pixels.get(), p.pixels.get() + p.size.samples(), written.pixels.get());
	const bool fine = worst <= picture_tolerance && same_file;
	printf("against the same steps on the host alone: largest difference %.5f levels, allowed %.2f; file %s: %s\n",
	       worst, picture_tolerance, same_file ? "equals the array" : "DIFFERS from the array",
	       fine ? "ok" : "WRONG");
	write_report(o, *d, moved, obvious, worst, seconds);
	return fine ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	photo_options o;
	command_line line("Edge-preserving smoothing of a PNG on a device, without a copy in the program.");
	line.text("picture", o.input, "PNG to read");
	line.text("-o,--output", o.output, "PNG to write");
	line.number("--steps", o.steps, "diffusion steps");
	line.number("--look", o.steps_a_look, "steps between two looks of the host");
	line.number("--edge", o.edge, "differences above this are edges and stay (levels)");
	line.text("--device", o.device, "opencl0, opencl1, ... or host; default: the first OpenCL device");
	line.text("--json", o.json, "write the results to this file");
	return line.run(argc, argv, [&] { return run(o); });
}
