// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/runtime.h"

#include "cache/user_store.h"
#include "os/settings.h"
#include "policy/policy.h"

#include <array>
#include <cstring>
#include <het.hpp>

namespace info
{

namespace
{

struct kind_words {
	const char *name, *slices_of;
};

kind_words words_of(uint32_t kind)
{
	switch (kind) {
	case HET_DEVICE_HOST:
		return {"host", "functions"};
	case HET_DEVICE_APART:
		return {"apart", "functions"};
	case HET_DEVICE_OPENCL:
		return {"opencl", "OpenCL C"};
	case HET_DEVICE_CUDA:
		return {"cuda", "PTX"};
	default:
		return {"unknown", ""};
	}
}

bool succeeds(const std::function<void()> &what)
{
	try {
		what();
		return true;
	} catch (const het::error &) {
		return false;
	}
}

// Makes an empty kernel for every kind of device.
het::kernel make_nothing()
{
	constexpr char ptx[] =
		".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
	const std::array<het_function, 1> functions = {{{"nothing", [](const het_group *, void *const *) {}, 0}}};
	const std::array<het_image, 1> images = {{{HET_IMAGE_PTX, 0, ptx, sizeof(ptx)}}};
	return {het::program(het::sources().opencl("kernel void nothing(void) {}").functions(functions).images(images)),
		"nothing"};
}

json look_at_device(size_t number)
{
	const het::device d = het::devices().at(number);
	const het_device_info i = d.info();
	json j = {{"name", i.name},
		  {"kind", words_of(i.kind).name},
		  {"units", i.units},
		  {"group_size", i.group_size},
		  {"memory_bytes", i.memory},
		  {"local_memory_bytes", i.local_memory},
		  {"slices_of", words_of(i.kind).slices_of}};
	const het::queue q({d});
	het::kernel nothing;
	auto launch = [&](size_t offset) { q.launch(nothing, het::work(1).groups_of(1).from(offset)).wait(); };
	j["addresses"] = succeeds([&] { het::raw_memory(d, 1); });
	j["textures"] = succeeds([&] { het::texture(d, HET_TEXEL_UNORM8, 4, 1, 1); });
	j["offsets"] = succeeds([&] {
		nothing = make_nothing();
		launch(1);
	});
	j["launches"] = succeeds([&] { launch(0); });
	const uint64_t budget = d.memory().budget; // is known when something has been allocated
	if (budget && budget != UINT64_MAX)
		j["budget_bytes"] = budget;
	return j;
}

// Returns what the child found of one device; what is missing in its answer is what failed.
json device(size_t number)
{
	finding f = in_child([number] { return look_at_device(number); });
	if (f.answer.is_null())
		return {{"name", "device " + std::to_string(number)}, {"launches", false}, {"error", f.ending}};
	if (!f.answer["launches"])
		f.answer["error"] = f.last_message();
	return f.answer;
}

json devices(json &report)
{
	json all = json::array();
	finding f = in_child([] {
		uint32_t count = 0;
		return het_devices(0, nullptr, &count) ? json() : json(count);
	});
	if (f.answer.is_null())
		report["error"] = f.printed.empty() ? f.ending : f.last_message();
	else
		for (size_t n = 0; n < f.answer.get<size_t>(); n++)
			all.push_back(device(n));
	return all;
}

json policies()
{
	json all = json::array();
	for (size_t n = 0; const char *name = het::rt::policy_name(n); n++)
		all.push_back(name);
	return all;
}

json cache()
{
	const het::cache::store &s = het::cache::user_store();
	const het::cache::usage u = s.used();
	return {{"folder", s.folder()},
		{"entries", u.entries},
		{"bytes", u.bytes},
		{"most", het::settings().cache_size}};
}

json build_everywhere(const std::string &file, const char *section)
{
	het_program_args args = het::sources().file(file.c_str()).section(section).args();
	het::program p;
	if (het_program *made = nullptr; !het_program_create(&args, &made))
		p = het::program(made);
	else
		return {}; // needs no words, as the reason was printed
	json all = json::array();
	for (het::device d : het::devices()) {
		json j = {{"name", d.name()}, {"builds", true}};
		if (int err = het_program_build(p.get(), d.get())) {
			const std::string log = p.log(d);
			j["builds"] = false;
			j["error"] = log.empty() ? het_strerror(err) : log;
		}
		all.push_back(j);
	}
	return all;
}

} // namespace

json runtime()
{
	json report;
	report["devices"] = devices(report);
	report["policies"] = policies();
	report["cache"] = cache();
	return report;
}

json builds(const std::string &file, const std::string &section)
{
	finding f = in_child([&] { return build_everywhere(file, section.empty() ? nullptr : section.c_str()); });
	if (f.answer.is_null())
		throw std::runtime_error(file + ": " + (f.printed.empty() ? f.ending : f.last_message()));
	return f.answer;
}

} // namespace info
