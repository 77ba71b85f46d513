// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Binds raw memory, textures and samplers.
#include "bound.h"
#include "copies.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace het::python
{

namespace
{

het_queue *queue_of(const py::object &o)
{
	if (o.is_none())
		return queue::usual();
	const queue *q = instance<queue>(o.ptr());
	if (!q)
		raise(PyExc_TypeError, "queue= takes a het.Queue, and not %s", Py_TYPE(o.ptr())->tp_name);
	return q->get();
}

std::unique_ptr<event> waited_for(std::unique_ptr<event> e, bool wait)
{
	if (wait)
		e->wait();
	return e;
}

template <direction D>
std::unique_ptr<event> copy_bytes(const device_memory &m, const py::object &array, const py::object &queue, bool wait)
{
	return waited_for(copy_memory(queue_of(queue), m, array.ptr(), D), wait);
}

template <direction D>
std::unique_ptr<event> copy_some(const texture &t, const py::object &array, const std::optional<shape> &origin,
				 const py::object &queue, bool wait)
{
	return waited_for(copy_texels(queue_of(queue), t, origin, array.ptr(), D), wait);
}

} // namespace

void bind_memory(py::module_ &m)
{
	py::class_<device_memory>(m, "Memory", "Raw memory of one device: Memory(device, nbytes).")
		.def(py::init([](const device &d, size_t nbytes) {
			     return std::make_unique<device_memory>(d.d, nbytes);
		     }),
		     py::arg("device"), py::arg("nbytes"))
		.def_property_readonly("device", [](const device_memory &m) { return device{m.device()}; })
		.def_property_readonly("nbytes", &device_memory::nbytes)
		.def_property_readonly("address",
				       [](const device_memory &m) { return reinterpret_cast<uintptr_t>(m.address()); })
		.def("at", &device_memory::from, py::arg("offset"), "Returns the rest of the memory from that byte on.")
		.def("copy_from", copy_bytes<direction::to_device>,
		     "Copies all bytes of the array to the begin of the memory.", py::arg("array"), py::kw_only(),
		     py::arg("queue") = py::none(), py::arg("wait") = true)
		.def("copy_to", copy_bytes<direction::from_device>,
		     "Copies as many bytes as the array has from the begin of the memory.", py::arg("array"),
		     py::kw_only(), py::arg("queue") = py::none(), py::arg("wait") = true)
		.def("__len__", &device_memory::nbytes);
	py::class_<texture>(
		m, "Texture",
		"A texture of one device, what OpenCL calls an image: Texture(device, shape, type, channels).")
		.def(py::init([](const device &d, const shape &s, const std::string &type, uint32_t channels,
				 bool layers, bool of_buffer, bool read_and_written) {
			     return std::make_unique<texture>(
				     d.d, texture_form{s, type, channels, layers, of_buffer, read_and_written});
		     }),
		     py::arg("device"), py::arg("shape"), py::arg("type") = "float", py::arg("channels") = 1,
		     py::kw_only(), py::arg("layers") = false, py::arg("of_buffer") = false,
		     py::arg("read_and_written") = false)
		.def_property_readonly("device", [](const texture &t) { return device{t.device()}; })
		.def_property_readonly("shape", [](const texture &t) { return py::tuple(py::cast(t.form().extent)); })
		.def_property_readonly("type", [](const texture &t) { return t.form().type; })
		.def_property_readonly("channels", [](const texture &t) { return t.form().channels; })
		.def("copy_from", copy_some<direction::to_device>,
		     "Copies an array, whose shape says how much, to the texels from origin on.", py::arg("array"),
		     py::kw_only(), py::arg("origin") = py::none(), py::arg("queue") = py::none(),
		     py::arg("wait") = true)
		.def("copy_to", copy_some<direction::from_device>,
		     "Copies texels from origin on to an array, whose shape says how many.", py::arg("array"),
		     py::kw_only(), py::arg("origin") = py::none(), py::arg("queue") = py::none(),
		     py::arg("wait") = true);
	py::class_<sampler>(
		m, "Sampler",
		"How a kernel on one device reads textures: Sampler(device, outside=, linear=, normalized=).")
		.def(py::init([](const device &d, bool normalized, const std::string &outside, bool linear) {
			     return std::make_unique<sampler>(d.d, normalized, outside, linear);
		     }),
		     py::arg("device"), py::kw_only(), py::arg("normalized") = false, py::arg("outside") = "undefined",
		     py::arg("linear") = false);
}

} // namespace het::python
