// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-fatbin makes fat binaries, looks into them, and checks them.
#include "fatbin/build.h"
#include "fatbin/launches.h"
#include "fatbin/list.h"
#include "fatbin/spirv.h"
#include "fatbin/split.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <stdexcept>

#ifndef HET_VERSION
#define HET_VERSION "(unknown version)"
#endif

namespace
{

using namespace tool::fat;

struct request {
	std::string file, section, out, options;
	std::vector<std::string> targets = {"opencl", "spirv", "native", "ptx"};
	std::vector<std::string> gpus = {"sm_90"};
	std::string image, target, name, version;
	unsigned number = 0;
	bool as_json = false;
};

void write(const document &d, const request &r)
{
	std::string bytes = to_elf(d);
	from_elf(as_bytes(bytes)); // makes sure that nothing leaves the house that can't be read
	replace_file(r.out, bytes);
}

void build_file(const request &r)
{
	build_request b{r.options, {}, r.gpus};
	for (const auto &t : r.targets)
		b.targets.push_back(target_of(t));
	document d = build(read_file(r.file), b);
	for (const image &i : d.images)
		if (i.bytes.empty())
			fprintf(stderr, "het-fatbin: no %s: %s\n", title_of(i).c_str(), plain(i.reason).c_str());
	write(d, r);
}

void list(const request &r)
{
	document d = read_document(r.file, r.section);
	if (r.as_json)
		std::cout << describe(d).dump("  ") << '\n';
	else
		print(d);
}

void judge_launches(const request &r)
{
	document d = read_document(r.file, r.section);
	for (std::string line; std::getline(std::cin, line);)
		puts(has_groups_apart(d, line) ? "apart" : "unknown");
}

void verify(const request &r)
{
	document d = read_document(r.file, r.section);
	size_t there = 0;
	for (const image &i : d.images)
		there += !i.bytes.empty();
	printf("%zu kernels, %zu images, all checksums right\n", d.kernels.size(), there);
}

void extract(const request &r)
{
	document d = read_document(r.file, r.section);
	if (!r.number || r.number > d.images.size())
		throw std::runtime_error(r.file + ": there is no image " + std::to_string(r.number));
	const image &i = d.images[r.number - 1];
	if (i.bytes.empty())
		throw std::runtime_error("the " + title_of(i) + " was not made: " + i.reason);
	if (r.out == "-")
		std::cout << i.bytes << std::flush;
	else
		replace_file(r.out, i.bytes);
}

image image_to_add(const request &r)
{
	image i;
	i.target = target_of(r.target);
	i.name = r.name;
	i.options = r.options;
	i.bytes = read_file(r.image);
	bool needs_name = i.target != format::target::opencl_c && i.target != format::target::spirv;
	if (needs_name != !i.name.empty())
		throw std::runtime_error(needs_name
						 ? "--name must say for what device the image is (sm_90, or a device's "
						   "identity, as list shows it)"
						 : "such an image is for no device of one name: leave --name out");
	if (i.bytes.empty())
		throw std::runtime_error(r.image + ": an empty file");
	if (i.target == format::target::spirv) {
		if (!read_spirv_version(i.bytes, &i.major, &i.minor))
			throw std::runtime_error(r.image + ": no SPIR-V");
	} else if (!r.version.empty() && sscanf(r.version.c_str(), "%u.%u", &i.major, &i.minor) != 2) {
		throw std::runtime_error("--version " + r.version + ": want two numbers with a point between");
	}
	return i;
}

// Adds the image in the place of the one for the same target, if there is one.
void add(request r)
{
	document d = read_document(r.file, r.section);
	image made = image_to_add(r);
	std::erase_if(d.images, [&](const image &i) { return i.target == made.target && i.name == made.name; });
	// What was analysed before says nothing of this one; without an analysis the others' answers hold no longer.
	if (made.target == format::target::opencl_c)
		find_splits(opencl(), made.bytes, made.options, d.kernels);
	d.images.push_back(std::move(made));
	r.out = r.file;
	write(d, r);
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app{"Makes fat binaries, looks into them, and checks them."};
	app.set_version_flag("--version", "het-fatbin " HET_VERSION);
	app.require_subcommand(1);
	request r;
	auto command = [&](const char *name, const char *what, const char *file, void (*does)(const request &)) {
		auto *c = app.add_subcommand(name, what);
		c->add_option("file", r.file, file)->required();
		c->final_callback([&r, does] { does(r); });
		return c;
	};
	auto fat_command = [&](const char *name, const char *what, void (*does)(const request &)) {
		auto *c = command(name, what, "a fat binary", does);
		c->add_option("--section", r.section, "of an executable, that is a fat binary");
		return c;
	};

	auto *c = command("build", "compiles OpenCL C for all that the compilers here can do",
			  "OpenCL C; - for the standard input", build_file);
	c->add_option("-o", r.out, "the fat binary")->required();
	c->add_option("--options", r.options, "of the compiler, as clBuildProgram() takes them");
	c->add_option("--targets", r.targets, "which images: opencl, spirv, native, ptx, cubin, with commas between")
		->delimiter(',');
	c->add_option("--gpus", r.gpus, "sm_NN,sm_NN: for which cubins are made")->delimiter(',');

	c = fat_command("list", "kernels with their arguments, and images", list);
	c->add_flag("--json", r.as_json, "print one JSON document");

	fat_command("launches", "says of launches on the standard input whether their groups use different bytes",
		    judge_launches);

	c = fat_command("verify", "checks everything, with all checksums", verify);

	c = fat_command("extract", "writes one image to a file", extract);
	c->add_option("image", r.number, "its number, as list shows it")->required();
	c->add_option("-o", r.out, "the file; - for the standard output")->required();

	c = command("add", "adds an image that was made elsewhere", "the fat binary", [](const request &q) { add(q); });
	c->add_option("image", r.image, "a file with the image")->required();
	c->add_option("--target", r.target, "opencl, spirv, native, ptx, cubin")->required();
	c->add_option("--name", r.name, "native: the device's identity; ptx, cubin: sm_NN");
	c->add_option("--version", r.version, "of the language, such as 7.8");
	c->add_option("--options", r.options, "with which it was compiled, or is to be (opencl)");

	try {
		CLI11_PARSE(app, argc, argv);
	} catch (const std::exception &wrong) {
		fprintf(stderr, "het-fatbin: %s\n", wrong.what());
		return 1;
	}
	return 0;
}
