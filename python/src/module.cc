// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Binds what the other sources have to Python, as het._het; het/__init__.py shows it to the user. pybind11 is used here
// and in memory_module.cc alone.
#include "bound.h"
#include "kernel.h"
#include "lifetimes.h"
#include "program.h"

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace het::python;

namespace
{

// Most arguments are arrays, and none of ours.
template <class T> const T *exact(PyObject *o)
{
	static PyTypeObject *const type = reinterpret_cast<PyTypeObject *>(py::type::of<T>().ptr());
	return Py_TYPE(o) == type ? py::handle(o).cast<const T *>() : nullptr;
}

constexpr known_types argument_types = {
	.use_in = [](PyObject *o) { return exact<use>(o); },
	.local_in = [](PyObject *o) { return exact<local_memory>(o); },
	.memory_in = [](PyObject *o) { return exact<device_memory>(o); },
	.texture_in = [](PyObject *o) { return exact<texture>(o); },
	.sampler_in = [](PyObject *o) { return exact<sampler>(o); },
};

constexpr option_types types_of_options = {
	.queue_in =
		[](PyObject *o) {
			if (!o)
				return queue::usual();
			const queue *q = instance<queue>(o);
			return q ? q->get() : nullptr;
		},
	.device_in =
		[](PyObject *o) {
			const device *d = instance<device>(o);
			return d ? d->d : nullptr;
		},
	.event_in =
		[](PyObject *o) {
			const event *e = instance<event>(o);
			return e ? e->get() : nullptr;
		},
};

// --- devices -----------------------------------------------------------------------------

std::vector<device> all_devices()
{
	uint32_t n = 0;
	int err;
	{
		without_gil g;
		err = het_devices(0, nullptr, &n);
	}
	check(err);
	std::vector<het_device *> found(n);
	check(het_devices(n, found.data(), &n));
	std::vector<device> all;
	for (het_device *d : found)
		all.push_back({d});
	return all;
}

const char *word_for(uint32_t kind)
{
	switch (kind) {
	case HET_DEVICE_HOST:
		return "host";
	case HET_DEVICE_APART:
		return "apart";
	case HET_DEVICE_OPENCL:
		return "opencl";
	default:
		return kind == HET_DEVICE_CUDA ? "cuda" : "unknown";
	}
}

py::dict memory_of(const device &d)
{
	het_memory_info i = {};
	i.size = sizeof(i);
	check(het_device_memory(d.d, &i));
	py::dict all;
	all["total"] = i.total;
	all["budget"] = i.budget;
	all["arrays"] = i.arrays;
	all["raw"] = i.raw;
	all["textures"] = i.textures;
	all["copies"] = i.copies;
	all["given"] = i.given;
	all["evicted"] = i.evicted;
	all["written_back"] = i.written_back;
	all["evictions"] = i.evictions;
	all["waits"] = i.waits;
	all["slices"] = i.slices;
	all["windows"] = i.windows;
	all["sent"] = i.sent;
	all["brought"] = i.brought;
	all["kept"] = i.kept;
	all["reused"] = i.reused;
	all["in_place"] = i.in_place;
	all["accesses_in_place"] = i.accesses_in_place;
	all["dirty"] = i.dirty;
	all["away"] = i.away;
	return all;
}

// Arrays may have to leave the device for it.
void set_budget(const device &d, uint64_t nbytes)
{
	int err;
	{
		without_gil g;
		err = het_device_set_budget(d.d, nbytes);
	}
	check(err);
}

void bind_devices(py::module_ &m)
{
	py::class_<device>(m, "Device")
		.def_property_readonly("name", [](const device &d) { return d.info().name; })
		.def_property_readonly("kind", [](const device &d) { return word_for(d.info().kind); })
		.def_property_readonly("units", [](const device &d) { return d.info().units; })
		.def_property_readonly("group_size", [](const device &d) { return d.info().group_size; })
		.def_property_readonly("memory", [](const device &d) { return d.info().memory; })
		.def_property_readonly("local_memory", [](const device &d) { return d.info().local_memory; })
		.def("memory_use", memory_of)
		.def("set_budget", set_budget, py::arg("nbytes"))
		.def("__repr__", [](const device &d) { return std::string("<het.Device ") + d.info().name + ">"; })
		.def("__hash__", [](const device &d) { return std::hash<het_device *>()(d.d); })
		.def("__eq__", [](const device &a, const py::object &b) {
			return py::isinstance<device>(b) && b.cast<const device &>().d == a.d;
		});
	m.def("devices", all_devices);
}

// --- programs and kernels ----------------------------------------------------------------

sources sources_of(const py::object &source, const py::object &options, const py::object &file,
		   const py::object &section, const py::object &fat_binary,
		   const std::vector<std::pair<uint32_t, py::bytes>> &images,
		   const std::vector<std::tuple<std::string, uintptr_t, uint32_t>> &functions)
{
	auto text = [](const py::object &o) {
		return o.is_none() ? std::nullopt : std::optional<std::string>(o.cast<std::string>());
	};
	sources s;
	s.source = text(source);
	s.options = text(options);
	s.file = text(file);
	s.section = text(section);
	s.fat_binary = text(fat_binary);
	for (const auto &[kind, bytes] : images)
		s.images.push_back({kind, bytes});
	for (const auto &[name, address, nargs] : functions)
		s.functions.push_back({name, address, nargs});
	return s;
}

py::object arguments_of(const kernel &k)
{
	py::list all;
	py::object make = py::module_::import("het._records").attr("Argument");
	for (const parameter &p : k.parameters())
		all.append(make(p.name, p.type, p.space, p.found ? p.found : p.access, p.nbytes));
	return all;
}

std::unique_ptr<event> launch(const launcher &l, const py::args &args, const py::kwargs &kwargs, bool waits)
{
	bool must_wait = false;
	auto e = l.start(args.ptr(), kwargs.ptr(), argument_types, types_of_options, &must_wait);
	if (waits || must_wait)
		e->wait();
	return e;
}

void bind_programs(py::module_ &m)
{
	py::class_<program>(m, "Program")
		.def(py::init([](const py::object &source, const py::object &options, const py::object &file,
				 const py::object &section, const py::object &fat_binary,
				 const std::vector<std::pair<uint32_t, py::bytes>> &images,
				 const std::vector<std::tuple<std::string, uintptr_t, uint32_t>> &functions) {
			return std::make_unique<program>(
				sources_of(source, options, file, section, fat_binary, images, functions));
		}))
		.def("build", [](program &p, const device &d) { p.build(d.d); })
		.def("log", [](const program &p, const device &d) { return p.log(d.d); })
		.def("kernel_names", [](const program &p, const device &d) { return p.kernel_names(d.d); })
		.def("kernel", [](const program &p, const char *name, const py::object &kept) {
			return std::make_shared<kernel>(p.get(), name, object::to(kept.ptr()));
		});
	py::class_<kernel, std::shared_ptr<kernel>>(m, "Kernel")
		.def_property_readonly("name", &kernel::name)
		.def_property_readonly("arguments", arguments_of)
		.def("__getitem__", [](std::shared_ptr<kernel> k, const py::object &key) {
			return std::make_unique<launcher>(std::move(k), key.ptr());
		});
	py::class_<launcher>(m, "Launcher")
		.def("__call__", [](const launcher &l, const py::args &args,
				    const py::kwargs &named) { return launch(l, args, named, true); })
		.def("start", [](const launcher &l, const py::args &args, const py::kwargs &named) {
			return launch(l, args, named, false);
		});
}

// --- arguments ---------------------------------------------------------------------------

void bind_arguments(py::module_ &m)
{
	py::class_<use>(m, "Use")
		.def(py::init([](const py::object &array, uint32_t access) {
			return use{object::to(array.ptr()), access, {}};
		}))
		.def(
			"each",
			[](const use &u, uint64_t step, const std::optional<uint64_t> &length, int64_t offset,
			   uint64_t count, uint64_t stride) {
				return use{object::to(u.array.get()), u.access,
					   pieces{offset, step, length.value_or(step), count, stride}};
			},
			py::arg("step"), py::arg("length") = py::none(), py::arg("offset") = 0, py::arg("count") = 1,
			py::arg("stride") = 0);
	py::class_<local_memory>(m, "Local").def(py::init([](size_t nbytes) { return local_memory{nbytes}; }));
}

// --- queues and events -------------------------------------------------------------------

py::list parts_of(const event &e)
{
	uint32_t n = 0;
	check(het_event_parts(e.get(), &n));
	py::object make = py::module_::import("het._records").attr("Part");
	py::list all;
	for (uint32_t i = 0; i < n; i++) {
		het_event_part_info p = {};
		p.size = sizeof(p);
		check(het_event_part(e.get(), i, &p));
		all.append(make(device{p.device}, p.first, p.count, p.started, p.ended));
	}
	return all;
}

py::object times_of(const event &e)
{
	het_event_times t = {};
	t.size = sizeof(t);
	check(het_event_profile(e.get(), &t));
	return py::module_::import("het._records").attr("Times")(t.queued, t.submitted, t.started, t.ended);
}

py::object memory_use_of(const event &e)
{
	constexpr const char *ways[] = {"whole", "slices", "in place"},
			     *classes[] = {"unknown", "regular", "irregular"};
	het_memory_use u = {};
	u.size = sizeof(u);
	check(het_event_memory(e.get(), &u));
	return py::module_::import("het._records")
		.attr("MemoryUse")(ways[u.way], classes[u.memory_class], u.is_shared != 0, u.declared, u.analysed,
				   u.whole, u.level, u.slices, u.waited_ns, u.stalls, u.stalled_ns, u.sent, u.brought,
				   u.reused, u.left, u.accesses_in_place);
}

void bind_queues(py::module_ &m)
{
	py::class_<queue>(m, "Queue")
		.def(py::init([](const std::vector<device> &devices, uint32_t flags, int32_t priority) {
			std::vector<het_device *> all;
			for (const device &d : devices)
				all.push_back(d.d);
			return std::make_unique<queue>(std::move(all), flags, priority);
		}))
		.def("finish", &queue::finish)
		.def("set_priority", &queue::set_priority, py::arg("priority"))
		.def("announce", &queue::announce, py::arg("nanoseconds"));
	py::class_<event>(m, "Event")
		.def("wait", &event::wait)
		.def_property_readonly("done", [](event &e) { return e.status() <= HET_COMPLETE; })
		.def_property_readonly("times", times_of)
		.def_property_readonly("parts", parts_of)
		.def_property_readonly("memory", memory_use_of)
		.def("_notify", &event::notify)
		.def("set", &event::set, py::arg("status") = 0);
	m.def("user_event", [] {
		het_event *made = nullptr;
		check(het_user_event_create(&made));
		return std::make_unique<event>(made, std::vector<hold>{});
	});
}

// pybind11 asks this about each C++ exception that leaves a binding.
void translate(std::exception_ptr thrown)
{
	try {
		if (thrown)
			std::rethrow_exception(thrown);
	} catch (const python_error &) {
		// Python knows it already.
	} catch (const failure &f) {
		set_error(f);
	}
}

} // namespace

PYBIND11_MODULE(_het, m)
{
	py::register_exception_translator(translate);
	bind_devices(m);
	bind_arguments(m);
	bind_queues(m);
	bind_programs(m);
	bind_memory(m);
	m.def("forget", [](const py::object &array) { return let_go(array.ptr()); });
	m.def("_count_of_kept", count_of_kept);
	m.def("_interpreter_ends", [] {
		queue::finish_all();
		interpreter_ends();
	});
}
