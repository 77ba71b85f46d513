// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "kernel.h"

#include "errors.h"

#include <algorithm>
#include <cstdint>

namespace het::python
{

namespace
{

// Reads a number, or a tuple of 1 to 3; returns how many there were.
uint32_t take_sizes(PyObject *o, size_t *sizes, const char *what)
{
	const bool is_tuple = PyTuple_Check(o) || PyList_Check(o);
	const Py_ssize_t n = is_tuple ? PySequence_Size(o) : 1;
	if (n < 1 || n > 3)
		raise(PyExc_TypeError, "%s has 1 to 3 dimensions, and not %zd", what, n);
	for (Py_ssize_t d = 0; d < n; d++) {
		object item = is_tuple ? object(PySequence_GetItem(o, d)) : object::to(o);
		const Py_ssize_t size = item ? PyNumber_AsSsize_t(item.get(), PyExc_OverflowError) : -1;
		if (PyErr_Occurred())
			throw python_error{};
		if (size < 0)
			raise(PyExc_ValueError, "%s is negative", what);
		sizes[d] = size_t(size);
	}
	return uint32_t(n);
}

bool is_named(PyObject *name, const char *text)
{
	return PyUnicode_CompareWithASCIIString(name, text) == 0;
}

bool is_true(PyObject *o)
{
	const int truth = PyObject_IsTrue(o);
	if (truth < 0)
		throw python_error{};
	return truth != 0;
}

void take_event(het_event *e, options &o)
{
	if (!e)
		raise(PyExc_TypeError, "after= takes an event, or a list of events");
	check(het_event_retain(e));
	o.after.emplace_back(e);
}

void take_events(PyObject *given, const option_types &types, options &o)
{
	if (het_event *e = types.event_in(given))
		return take_event(e, o);
	object items(PySequence_Fast(given, "after= takes an event, or a list of events"));
	if (!items)
		throw python_error{};
	for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()); i++)
		take_event(types.event_in(PySequence_Fast_GET_ITEM(items.get(), i)), o);
}

// What is too large for the library is refused there.
int32_t take_priority(PyObject *o)
{
	int is_out = 0;
	const long n = PyLong_AsLongAndOverflow(o, &is_out);
	if (PyErr_Occurred())
		throw python_error{};
	return is_out ? INT32_MAX : int32_t(std::clamp<long>(n, INT32_MIN, INT32_MAX));
}

// Where it runs, and through what.
bool take_place(PyObject *name, PyObject *value, const option_types &types, options &o)
{
	if (is_named(name, "queue")) {
		o.queue = value == Py_None ? nullptr : types.queue_in(value);
		if (value != Py_None && !o.queue)
			raise(PyExc_TypeError, "queue= takes a het.Queue, and not %s", Py_TYPE(value)->tp_name);
	} else if (is_named(name, "device")) {
		o.device = value == Py_None ? nullptr : types.device_in(value);
		if (value != Py_None && !o.device)
			raise(PyExc_TypeError, "device= takes one of het.devices(), and not %s",
			      Py_TYPE(value)->tp_name);
	} else {
		return false;
	}
	return true;
}

bool take_option(PyObject *name, PyObject *value, const option_types &types, options &o)
{
	if (is_named(name, "split")) {
		o.flags |= is_true(value) ? uint32_t{HET_SPLIT} : 0;
	} else if (is_named(name, "touch_after_wait")) {
		o.flags |= is_true(value) ? uint32_t{HET_TOUCH_AFTER_WAIT} : 0;
	} else if (is_named(name, "offset")) {
		o.offset = value;
	} else if (is_named(name, "after")) {
		take_events(value, types, o);
	} else if (is_named(name, "priority")) {
		o.priority = take_priority(value);
	} else {
		return take_place(name, value, types, o);
	}
	return true;
}

std::string list_of(const std::vector<parameter> &all)
{
	std::string text;
	for (const parameter &p : all)
		text += (text.empty() ? "" : ", ") + (p.is_described ? p.name : "?");
	return text;
}

} // namespace

kernel::kernel(het_program *program, const char *name, object &&kept) : kept_(std::move(kept))
{
	int err;
	{
		without_gil g;
		err = het_kernel_create(program, name, &k_);
	}
	check(err);
	het_kernel_info info = {};
	info.size = sizeof(info);
	check(het_kernel_describe(k_, &info));
	name_ = info.name;
	parameters_ = parameters_of(k_, info.nargs);
}

launcher::launcher(std::shared_ptr<kernel> k, PyObject *key) : kernel_(std::move(k))
{
	PyObject *global = key, *local = Py_None;
	if (PyTuple_Check(key)) {
		if (PyTuple_GET_SIZE(key) != 2)
			raise(PyExc_TypeError,
			      "kernel %s: write k[global_size] or k[global_size, local_size], where sizes "
			      "of more dimensions are tuples: k[(64, 32), (8, 8)], k[(64, 32), None]",
			      kernel_->name().c_str());
		global = PyTuple_GET_ITEM(key, 0);
		local = PyTuple_GET_ITEM(key, 1);
	}
	dimensions_ = take_sizes(global, global_, "the global size");
	if (local == Py_None)
		return;
	if (take_sizes(local, local_, "the local size") != dimensions_)
		raise(PyExc_TypeError, "kernel %s: the local size has other dimensions than the global one",
		      kernel_->name().c_str());
}

void launcher::take_option_or_argument(PyObject *name, PyObject *value, const option_types &others, options &o,
				       std::vector<PyObject *> &all) const
{
	if (take_option(name, value, others, o))
		return;
	const auto &parameters = kernel_->parameters();
	auto found = std::find_if(parameters.begin(), parameters.end(),
				  [&](const parameter &p) { return p.is_described && is_named(name, p.name.c_str()); });
	if (found == parameters.end())
		raise(PyExc_TypeError, "kernel %s has no argument %s; it has (%s)", kernel_->name().c_str(),
		      PyUnicode_AsUTF8(name), list_of(parameters).c_str());
	PyObject *&place = all[size_t(found - parameters.begin())];
	if (place)
		raise(PyExc_TypeError, "kernel %s: argument %s is given twice", kernel_->name().c_str(),
		      found->name.c_str());
	place = value;
}

std::vector<PyObject *> launcher::in_order(PyObject *positional, PyObject *named, const option_types &others,
					   options &o) const
{
	const auto &parameters = kernel_->parameters();
	const size_t given = size_t(PyTuple_GET_SIZE(positional));
	if (given > parameters.size())
		raise(PyExc_TypeError, "kernel %s takes %zu arguments (%s), and %zu were given",
		      kernel_->name().c_str(), parameters.size(), list_of(parameters).c_str(), given);
	std::vector<PyObject *> all(parameters.size());
	for (size_t i = 0; i < given; i++)
		all[i] = PyTuple_GET_ITEM(positional, Py_ssize_t(i));
	PyObject *name, *value;
	Py_ssize_t at = 0;
	while (named && PyDict_Next(named, &at, &name, &value))
		take_option_or_argument(name, value, others, o, all);
	auto missing = std::find(all.begin(), all.end(), nullptr);
	if (missing != all.end()) {
		const parameter &p = parameters[size_t(missing - all.begin())];
		const std::string which = p.is_described ? p.name : "number " + std::to_string(missing - all.begin());
		raise(PyExc_TypeError, "kernel %s takes %zu arguments (%s), and %s is missing", kernel_->name().c_str(),
		      parameters.size(), list_of(parameters).c_str(), which.c_str());
	}
	return all;
}

std::unique_ptr<event> launcher::start(PyObject *positional, PyObject *named, const known_types &types,
				       const option_types &others, bool *must_wait) const
{
	options o;
	const std::vector<PyObject *> given = in_order(positional, named, others, o);
	arguments args(types, kernel_->name().c_str(), given.size());
	for (size_t i = 0; i < given.size(); i++)
		args.add(kernel_->parameters()[i], given[i]);
	het_launch_args a = {};
	a.size = sizeof(a);
	a.kernel = kernel_->get();
	a.dimensions = dimensions_;
	a.flags = o.flags;
	std::copy_n(global_, 3, a.global);
	std::copy_n(local_, 3, a.local);
	if (o.offset && take_sizes(o.offset, a.offset, "offset=") != dimensions_)
		raise(PyExc_TypeError, "kernel %s: offset= has other dimensions than the global size",
		      kernel_->name().c_str());
	a.arg_size = sizeof(het_arg);
	a.nargs = args.all().size();
	a.args = args.all().data();
	std::vector<het_event *> waits;
	for (const auto &e : o.after)
		waits.push_back(e.get());
	a.nwaits = waits.size();
	a.waits = waits.data();
	a.device = o.device ? o.device : args.device();
	a.priority = o.priority;
	het_queue *queue = o.queue ? o.queue : others.queue_in(nullptr);
	het_event *made = nullptr;
	int err;
	{
		without_gil g;
		err = het_launch(queue, &a, &made);
	}
	*must_wait = args.must_be_waited_for();
	std::vector<hold> holds = args.take_holds();
	if (kernel_->kept() != Py_None) {
		holds.emplace_back();
		holds.back().array = object::to(kernel_->kept());
	}
	if (err) {
		const failure f{err, het_last_error()};
		end_holds(holds, false);
		throw f;
	}
	return std::make_unique<event>(made, std::move(holds));
}

} // namespace het::python
