// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what it costs to open a fat binary of many kernels and to find the image for a device, checksums included:
// libhet adds this part of a program's start to the driver's own work. The file is in the page cache.
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/owned.h"
#include "common/report.h"
#include "common/table.h"
#include "fatbin/pick.h"
#include "os/descriptor.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <het.h>
#include <stdexcept>
#include <sys/stat.h>

using namespace bench;
namespace fatbin = het::fatbin;

namespace
{

struct options {
	common_options common;
	unsigned kernels = 20, images = 5, rounds = 2000;
	std::string file;
};

// Makes kernels that differ, with some work in each.
std::string make_source(unsigned kernels)
{
	std::string text;
	for (unsigned k = 0; k < kernels; k++)
		text += format(R"(
kernel void step_%u(global const float4 *from, global float4 *to, local float4 *row, float dt, uint n)
{
	size_t i = get_global_id(0), l = get_local_id(0);
	row[l] = from[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	float4 v = row[l];
	for (uint k = 0; k < n; k++)
		v += dt * (float4)(sin(v.x + %u), cos(v.y), sqrt(fabs(v.z)), v.w * row[k %% get_local_size(0)].x);
	to[i] = v;
}
)",
			       k, k);
	return text;
}

void run_tool(const std::string &arguments)
{
	std::string tool = std::filesystem::read_symlink("/proc/self/exe").replace_filename("het-fatbin");
	if (system((tool + " " + arguments).c_str()) != 0)
		throw std::runtime_error("het-fatbin " + arguments + " failed");
}

// The file has the images that the compilers here make, and copies of the first one for devices that are not here until
// there are enough.
void make_file(const std::string &folder, const std::string &made, const options &o)
{
	std::ofstream(folder + "/source.cl") << make_source(o.kernels);
	run_tool("build " + folder + "/source.cl -o " + made);
	run_tool("extract " + made + " 1 -o " + folder + "/image");
	for (unsigned n = 1; n < o.images; n++) {
		fatbin::container c;
		fatbin::fault why;
		std::ifstream file(made, std::ios::binary);
		std::string all((std::istreambuf_iterator<char>(file)), {});
		if (!c.open(std::as_bytes(std::span(all)), why))
			throw std::runtime_error(why.text);
		if (c.nimages() >= o.images)
			return;
		run_tool(format("add %s %s/image --target native --name 'another device %u'", made.c_str(),
				folder.c_str(), n));
	}
}

// Maps the file, opens it, and gets the first image that such a device can take. Returns its size.
size_t open_and_pick(const std::string &path, const fatbin::abilities &device)
{
	het::descriptor fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
	struct stat s;
	if (fd.get() < 0 || fstat(fd.get(), &s))
		throw std::runtime_error(path + " can't be opened");
	owned_mapping map(mmap(nullptr, size_t(s.st_size), PROT_READ, MAP_SHARED, fd.get(), 0), size_t(s.st_size));
	fatbin::container c;
	fatbin::fault why;
	fatbin::image best;
	fatbin::bytes data;
	if (!map)
		throw std::runtime_error(path + " can't be mapped");
	auto all = std::as_bytes(std::span(map.data(), map.size()));
	if (!c.open(all, why) || !fatbin::pick(c, device, 0, best) || !c.contents(best, data, why))
		throw std::runtime_error(*why.text ? why.text : "no image for such a device");
	return data.size();
}

void create_and_release(const std::string &path)
{
	het_program_args a = {};
	a.size = sizeof a;
	a.file = path.c_str();
	het_program *program;
	if (int err = het_program_create(&a, &program))
		throw std::runtime_error(het_strerror(err));
	het_program_release(program);
}

template <class F> series times_of(unsigned rounds, F f)
{
	series all;
	for (unsigned i = 0; i < rounds + 10; i++) {
		stopwatch watch;
		f();
		if (i >= 10)
			all.push_back(watch.lap());
	}
	return all;
}

struct row {
	const char *name;
	size_t bytes; // those of the image
	series times;
};

int measure(const options &o, const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::string all((std::istreambuf_iterator<char>(file)), {});
	fatbin::container c;
	fatbin::fault why;
	if (!c.open(std::as_bytes(std::span(all)), why))
		throw std::runtime_error(path + ": " + why.text);
	report out("fat-binary", {{"kernels", c.nkernels()}, {"images", c.nimages()}, {"file", all.size()}});
	std::vector<row> rows;
	rows.push_back({"het_program_create + release", 0, times_of(o.rounds, [&] { create_and_release(path); })});
	auto pick = [&](const char *name, const fatbin::abilities &device) {
		fatbin::image best;
		if (!fatbin::pick(c, device, 0, best))
			return;
		size_t n = open_and_pick(path, device);
		rows.push_back({name, n, times_of(o.rounds, [&] { open_and_pick(path, device); })});
	};
	for (uint32_t i = 0; i < c.nimages(); i++) {
		if (c.image(i).target != fatbin::target::native || !c.image(i).is_there())
			continue;
		pick("open + pick, native binary", {c.image(i).name, 0, 0, false, 0});
		break;
	}
	pick("open + pick, SPIR-V", {nullptr, 1, 6, false, 0});
	pick("open + pick, OpenCL C", {nullptr, 0, 0, true, 0});

	table t(format("%u kernels, %u images, %s in all; goal 200 µs", c.nkernels(), c.nimages(),
		       amount_text(all.size()).c_str()),
		{"µs", "image", "median", "p25", "p75", "p99"});
	for (const row &r : rows) {
		const summary s = summarise(r.times);
		t.row({r.name, r.bytes ? amount_text(r.bytes) : "", format("%.1f", s.median), format("%.1f", s.p25),
		       format("%.1f", s.p75), format("%.1f", s.p99)});
		out.result(r.name, "us", s, {{"image", r.bytes}});
	}
	t.print();
	out.write(o.common.json);
	return 0;
}

int run(options o)
{
	if (o.common.quick)
		o.rounds = std::min(o.rounds, 200u);
	if (!o.file.empty())
		return measure(o, o.file);
	std::string folder = std::filesystem::temp_directory_path() / "het-fat-binary-XXXXXX";
	if (!mkdtemp(folder.data()))
		throw std::runtime_error(folder + ": no such folder can be made");
	struct removed {
		const std::string &folder;
		~removed() { std::filesystem::remove_all(folder); }
	} at_end{folder};
	make_file(folder, folder + "/made.het", o);
	return measure(o, folder + "/made.het");
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Opening a fat binary and finding the image for a device.");
	add_common_options(line, o.common);
	line.number("--kernels", o.kernels, "in the fat binary");
	line.number("--images", o.images, "in the fat binary");
	line.number("--rounds", o.rounds, "times that it is opened");
	line.text("--file", o.file, "this fat binary instead of one that is made for the purpose");
	return line.run(argc, argv, [&] { return run(o); });
}
