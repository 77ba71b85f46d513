// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_program.h"

#include "dev/best_image.h"
#include "dev/opencl_errors.h"
#include "dev/opencl_kept.h"
#include "dev/opencl_slices.h"
#include "dev/opencl_windows.h"
#include "os/log.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace het::rt
{

namespace
{

// There is so much room for an argument's type, or its name; nothing is known of longer ones.
constexpr size_t longest_type = 128;

// Holds a text or binary that the driver is to make a program of.
struct program_text {
	fatbin::target target;
	fatbin::bytes bytes;
	const char *options;
};

class opencl_program final : public device_program
{
      public:
	opencl_program(const opencl_place &at, const program_source &source, cl_program handle)
	    : at_(at), source_(source), handle_(handle)
	{
	}
	~opencl_program() override { at_.cl.release_program(handle_); }

	cl_program handle() const { return handle_; }
	int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) override;
	int make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made) override;
	// The kernel's last parameters are such as opencl_kernel has them.
	int make_kernel(const char *name, unsigned shifts, std::unique_ptr<device_kernel> &made);
	int opencl_info(const opencl_question &q) const override
	{
		return answer(q, [&](cl_uint what, size_t room, void *to, size_t *nbytes) {
			return at_.cl.get_program_info(handle_, what, room, to, nbytes);
		});
	}

      private:
	// Holds the same program for slices.
	struct variant {
		slicing how;
		std::unique_ptr<device_program> program; // null if it can't be had
		std::unique_ptr<variant> next;
	};
	int build_variant(const slicing &how, const char *more, std::unique_ptr<device_program> &made) const;
	int find_window_text(const char *name, window_text &made);
	int make_window_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made);

	const opencl_place at_;
	const program_source &source_;
	const cl_program handle_;
	std::unique_ptr<variant> variants_;
};

int opencl_program::make_kernel(const char *name, std::unique_ptr<device_kernel> &made)
{
	return make_kernel(name, 0, made);
}

int opencl_program::make_kernel(const char *name, unsigned shifts, std::unique_ptr<device_kernel> &made)
{
	cl_int err = CL_SUCCESS;
	cl_kernel k = at_.cl.create_kernel(handle_, name, &err);
	if (err == CL_INVALID_KERNEL_NAME) {
		const size_t room = sizeof(fatbin::renamed_by_pocl) + strlen(name);
		text renamed(new (std::nothrow) char[room]);
		if (!renamed)
			return fail(HET_ENOMEM, "kernel %s: no memory", name);
		snprintf(renamed.get(), room, "%s%s", fatbin::renamed_by_pocl, name);
		k = at_.cl.create_kernel(handle_, renamed.get(), &err);
	}
	if (err == CL_INVALID_KERNEL_NAME)
		return HET_ENAME;
	if (!k)
		return fail(HET_EDEVICE, "%s: making kernel %s failed: %s (%d)", at_.device, name, cl_error_name(err),
			    err);
	made.reset(new (std::nothrow) opencl_kernel(at_.cl, k, at_.id, shifts));
	if (made)
		return 0;
	at_.cl.release_kernel(k);
	return fail(HET_ENOMEM, "kernel %s: no memory", name);
}

text read_log(const opencl_calls &cl, cl_program program, cl_device_id id)
{
	size_t n = 0;
	if (cl.get_program_build_info(program, id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &n) != CL_SUCCESS || n < 2)
		return nullptr;
	text log(new (std::nothrow) char[n + 1]());
	if (log)
		cl.get_program_build_info(program, id, CL_PROGRAM_BUILD_LOG, n, log.get(), nullptr);
	return log;
}

} // namespace

opencl_kernel::opencl_kernel(const opencl_calls &cl, cl_kernel handle, cl_device_id id, unsigned shifts)
    : cl_(cl), handle_(handle), id_(id), shifts_(shifts)
{
	cl_uint n = 0;
	ask(cl.get_kernel_info, handle, CL_KERNEL_NUM_ARGS, n);
	nargs_ = n - shifts;
	arguments_.reset(new (std::nothrow) set_argument[n]{});
	parameters_.reset(new (std::nothrow) parameter[n]{});
	for (cl_uint i = 0; i < n && parameters_; i++)
		parameters_[i] = find_parameter(i);
	limits_ = {1, {}};
	auto ask_kernel = [&](cl_uint what, auto &answer) {
		cl.get_kernel_work_group_info(handle, id, what, sizeof(answer), &answer, nullptr);
	};
	ask_kernel(CL_KERNEL_WORK_GROUP_SIZE, limits_.most);
	ask_kernel(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, limits_.required);
}

opencl_kernel::~opencl_kernel()
{
	cl_.release_kernel(handle_);
}

// Drivers know the parameters of programs from source alone.
parameter opencl_kernel::find_parameter(cl_uint i) const
{
	cl_kernel_arg_address_qualifier where = 0;
	cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
	char type[longest_type] = "";
	auto ask_argument = [&](cl_uint what, size_t size, void *answer) {
		return cl_.get_kernel_arg_info(handle_, i, what, size, answer, nullptr) == CL_SUCCESS;
	};
	parameter p = {parameter::unknown, 0, "", ""};
	bool known = cl_.get_kernel_arg_info && ask_argument(CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof(where), &where) &&
		     ask_argument(CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof(access), &access) &&
		     ask_argument(CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type);
	if (!known)
		return p;
	if (access != CL_KERNEL_ARG_ACCESS_NONE)
		p.is = strncmp(type, "image", 5) ? parameter::unknown : parameter::texture;
	else if (where == CL_KERNEL_ARG_ADDRESS_LOCAL)
		p.is = parameter::local;
	else if (where == CL_KERNEL_ARG_ADDRESS_GLOBAL || where == CL_KERNEL_ARG_ADDRESS_CONSTANT)
		p.is = parameter::memory;
	else if (where == CL_KERNEL_ARG_ADDRESS_PRIVATE)
		p.is = strcmp(type, "sampler_t") ? parameter::value : parameter::sampler;
	p.nbytes = p.is == parameter::value ? bytes_of_type(type) : 0;
	return p;
}

int opencl_kernel::check_argument(const char *kernel, size_t i, const device_arg &given) const
{
	if (!parameters_ || fits(parameters_[i], given) || is_null_pointer(parameters_[i], given))
		return 0;
	parameter p = parameters_[i];
	char type[longest_type] = "", name[longest_type] = "";
	cl_.get_kernel_arg_info(handle_, cl_uint(i), CL_KERNEL_ARG_TYPE_NAME, sizeof(type), type, nullptr);
	cl_.get_kernel_arg_info(handle_, cl_uint(i), CL_KERNEL_ARG_NAME, sizeof(name), name, nullptr);
	p.type = type;
	p.name = name;
	return say_misfit(kernel, i, p, given);
}

bool opencl_kernel::has_argument(size_t i, const device_arg &a, uint64_t era) const
{
	if (!arguments_)
		return false;
	const set_argument &s = arguments_[i];
	if (s.kind != a.kind || s.nbytes != a.nbytes)
		return false;
	if (a.kind == HET_ARG_VALUE)
		return !memcmp(s.value, a.pointer, a.nbytes);
	bool same_bytes = s.buffer == a.buffer && s.offset == a.offset;
	return s.era == era && (a.kind == HET_ARG_ADDRESS ? s.pointer == a.pointer : same_bytes);
}

void opencl_kernel::note_argument(size_t i, const device_arg &a, uint64_t era)
{
	if (!arguments_)
		return;
	set_argument &s = arguments_[i];
	bool is_value = a.kind == HET_ARG_VALUE;
	bool is_object = a.kind == HET_ARG_TEXTURE || a.kind == HET_ARG_SAMPLER;
	s = {a.kind, a.nbytes, a.offset, a.pointer, a.buffer, era, {}};
	if (is_object || (is_value && a.nbytes > sizeof(s.value)))
		s.kind = 0;
	else if (is_value)
		memcpy(s.value, a.pointer, a.nbytes);
}

namespace
{

cl_program create(const opencl_place &at, const program_text &t, cl_int *err)
{
	size_t size = t.bytes.size();
	if (t.target == fatbin::target::opencl_c) {
		auto *text = reinterpret_cast<const char *>(t.bytes.data());
		return at.cl.create_program_with_source(at.context, 1, &text, &size, err);
	}
	if (t.target == fatbin::target::spirv)
		return at.cl.create_program_with_il(at.context, t.bytes.data(), size, err);
	auto *binary = reinterpret_cast<const unsigned char *>(t.bytes.data());
	cl_int status = CL_SUCCESS;
	cl_program made = at.cl.create_program_with_binary(at.context, 1, &at.id, &size, &binary, &status, err);
	if (!made || status == CL_SUCCESS)
		return made;
	at.cl.release_program(made);
	*err = status;
	return nullptr;
}

// Returns the program's own options with what the driver is told besides: if @arguments, that it should keep what the
// arguments are.
text full_options(const program_text &t, bool arguments)
{
	constexpr char more[] = " -cl-kernel-arg-info";
	const char *own = t.options ? t.options : "";
	size_t n = strlen(own) + sizeof(more);
	text all(new (std::nothrow) char[n]);
	if (all)
		snprintf(all.get(), n, "%s%s", own, arguments ? more : "");
	return all;
}

// Builds as build_text() does, but looks at nothing that is kept.
int build_anew(const opencl_place &at, const program_source &source, const program_text &t, bool arguments,
	       std::unique_ptr<opencl_program> &made, text &log, cl_int *refused)
{
	*refused = CL_SUCCESS;
	cl_program handle = create(at, t, refused);
	if (!handle)
		return HET_EDEVICE;
	const text options = full_options(t, arguments);
	if (options)
		made.reset(new (std::nothrow) opencl_program(at, source, handle));
	if (!made) {
		at.cl.release_program(handle);
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	}
	*refused = at.cl.build_program(handle, 1, &at.id, options.get(), nullptr, nullptr);
	log = read_log(at.cl, handle, at.id);
	if (*refused == CL_SUCCESS)
		return 0;
	made.reset();
	return HET_EBUILD;
}

// Says nothing of what the driver refuses: *refused is its error then, and HET_EBUILD or HET_EDEVICE the answer.
int build_text(const opencl_place &at, const program_source &source, const program_text &t,
	       std::unique_ptr<device_program> &made, text &log, cl_int *refused)
{
	std::unique_ptr<opencl_program> program;
	bool is_binary = t.target == fatbin::target::native;
	const kept_program kept(at, t.bytes, t.options);
	int err = HET_EBUILD;
	if (cache::contents c = is_binary ? cache::contents() : kept.find())
		err = build_anew(at, source, {fatbin::target::native, c.value, ""}, false, program, log, refused);
	if (err) {
		bool arguments = at.tells_arguments && t.target == fatbin::target::opencl_c;
		err = build_anew(at, source, t, arguments, program, log, refused);
		// So asked, NVIDIA's compiler (driver 580) refuses its own PTX if a kernel has no arguments.
		if (err == HET_EBUILD && arguments)
			err = build_anew(at, source, t, false, program, log, refused);
		if (!err && !is_binary)
			kept.keep(program->handle());
	}
	made = std::move(program);
	return err;
}

int say_refusal(const opencl_place &at, int code, cl_int refused, const text &log)
{
	if (refused == CL_SUCCESS)
		return code; // was said already
	if (code == HET_EDEVICE)
		return fail(code, "%s: making a program failed: %s (%d)", at.device, cl_error_name(refused), refused);
	const char *words = log ? log.get() : "the compiler gave no reason";
	return fail(code, "%s: the program does not build (%s): %.300s", at.device, cl_error_name(refused), words);
}

int build_of_fat_binary(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			text &log)
{
	cl_int refused = CL_SUCCESS;
	int err = build_best_image(at.device, at.can, *source.fat, &refused, cl_error_name,
				   [&](const fatbin::image &i, fatbin::bytes bytes) {
					   bool is_text = i.target == fatbin::target::opencl_c;
					   program_text t = {i.target, bytes, is_text ? i.options : ""};
					   return build_text(at, source, t, made, log, &refused);
				   });
	return err ? say_refusal(at, err, refused, log) : 0;
}

program_text text_of(const program_source &source)
{
	return {fatbin::target::opencl_c, std::as_bytes(std::span(source.opencl, strlen(source.opencl))),
		source.options};
}

// Finds the program as OpenCL C, whatever it was built from. Returns 0, or HET_ENODEV without a message if a fat binary
// has none.
int find_text(const program_source &source, program_text &t)
{
	if (!source.fat) {
		t = text_of(source);
		return 0;
	}
	for (uint32_t n = 0; n < source.fat->nimages(); n++) {
		fatbin::image i = source.fat->image(n);
		fatbin::fault why;
		if (i.target != fatbin::target::opencl_c || !i.is_there())
			continue;
		t = {i.target, {}, i.options};
		return source.fat->contents(i, t.bytes, why) ? 0 : fail(HET_EIMAGE, "%s", why.text);
	}
	return HET_ENODEV;
}

// @more stands behind the program's text. Returns HET_ENODEV, having said why, if there is none.
int opencl_program::build_variant(const slicing &how, const char *more, std::unique_ptr<device_program> &made) const
{
	program_text t = {};
	if (!source_.fat && !source_.opencl)
		return HET_ENODEV; // the texts of what was linked can't be sliced one by one
	if (int err = find_text(source_, t))
		return err;
	slice_text sliced;
	text log;
	const char *why = nullptr;
	cl_int refused = CL_SUCCESS;
	int err = make_slice_text(how, t.bytes, t.options, sliced, &why);
	if (err == HET_ENOMEM)
		return fail(err, "%s: no memory for a program", at_.device);
	if (!err) {
		const std::string all = std::string(sliced.bytes.get(), sliced.size) + more;
		t.bytes = std::as_bytes(std::span(all));
		err = build_text(at_, source_, t, made, log, &refused);
		why = log ? log.get() : cl_error_name(refused);
	}
	if (!err || (err != HET_ENODEV && refused == CL_SUCCESS))
		return err;
	inform("%s: a program can't be sliced: %.300s", at_.device, why);
	return HET_ENODEV;
}

// Drivers know it of what was built from a text, mostly; otherwise the text has to tell.
int opencl_program::find_window_text(const char *name, window_text &made)
{
	cl_int err = CL_SUCCESS;
	cl_kernel k = at_.cl.create_kernel(handle_, name, &err);
	const bool found = k && make_window_text(at_.cl, k, name, made);
	if (k)
		at_.cl.release_kernel(k);
	program_text t = {};
	if (found || (!source_.fat && !source_.opencl) || find_text(source_, t))
		return found ? 0 : HET_ENODEV;
	const std::string_view text(reinterpret_cast<const char *>(t.bytes.data()), t.bytes.size());
	return make_window_text(text, name, made) ? 0 : HET_ENODEV;
}

// Each kernel has a program of its own, as its wrapper may be what does not build.
int opencl_program::make_window_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made)
{
	window_text wrapper;
	std::unique_ptr<device_program> program;
	int err = find_window_text(name, wrapper);
	if (!err)
		err = build_variant(how, wrapper.text.c_str(), program);
	if (err)
		return err;
	err = static_cast<opencl_program &>(*program).make_kernel((window_prefix + std::string(name)).c_str(),
								  wrapper.shifts, made);
	return err;
}

int opencl_program::make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made)
{
	if (how.in_place)
		return HET_ENODEV;
	if (how.in_windows)
		return make_window_kernel(name, how, made);
	for (const variant *v = variants_.get(); v; v = v->next.get()) {
		if (v->how == how)
			return v->program ? v->program->make_kernel(name, made) : HET_ENODEV;
	}
	std::unique_ptr<variant> v(new (std::nothrow) variant{how, nullptr, nullptr});
	if (!v)
		return fail(HET_ENOMEM, "%s: no memory for a program", at_.device);
	int err = build_variant(how, "", v->program);
	if (err && err != HET_ENODEV)
		return err;
	v->next = std::move(variants_);
	variants_ = std::move(v);
	return err ? err : variants_->program->make_kernel(name, made);
}

// A driver wants each header as a program of its own.
class headers_for_driver
{
      public:
	explicit headers_for_driver(size_t n)
	    : programs_(new (std::nothrow) cl_program[n]()), names_(new (std::nothrow) const char *[n])
	{
	}
	headers_for_driver(const headers_for_driver &) = delete;
	headers_for_driver &operator=(const headers_for_driver &) = delete;
	~headers_for_driver()
	{
		for (size_t i = 0; i < count_; i++)
			cl_->release_program(programs_[i]);
	}

	bool take(const opencl_place &at, std::span<const het_header> headers, cl_int *refused)
	{
		cl_ = &at.cl;
		if (!programs_ || !names_)
			return false;
		for (const het_header &h : headers) {
			const auto bytes = std::as_bytes(std::span(h.source, strlen(h.source)));
			programs_[count_] = create(at, {fatbin::target::opencl_c, bytes, ""}, refused);
			if (!programs_[count_])
				return false;
			names_[count_++] = h.name;
		}
		return true;
	}
	const cl_program *programs() const { return count_ ? programs_.get() : nullptr; }
	const char **names() const { return count_ ? names_.get() : nullptr; }

      private:
	const opencl_calls *cl_ = nullptr;
	const std::unique_ptr<cl_program[]> programs_;
	const std::unique_ptr<const char *[]> names_;
	size_t count_ = 0;
};

} // namespace

int build_opencl_program(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			 text &log)
{
	if (source.fat)
		return build_of_fat_binary(at, source, made, log);
	cl_int refused;
	int err = build_text(at, source, text_of(source), made, log, &refused);
	return err ? say_refusal(at, err, refused, log) : 0;
}

int compile_opencl_program(const opencl_place &at, const program_source &source, std::unique_ptr<device_program> &made,
			   text &log)
{
	const size_t n = source.headers.size();
	headers_for_driver headers(n);
	cl_int refused = CL_SUCCESS;
	if (!headers.take(at, source.headers, &refused))
		return refused == CL_SUCCESS ? fail(HET_ENOMEM, "%s: no memory for a program", at.device)
					     : say_refusal(at, HET_EDEVICE, refused, log);
	cl_program handle = create(at, text_of(source), &refused);
	if (!handle)
		return say_refusal(at, HET_EDEVICE, refused, log);
	made.reset(new (std::nothrow) opencl_program(at, source, handle));
	const text options = full_options(text_of(source), at.tells_arguments);
	if (!made || !options) {
		if (!made)
			at.cl.release_program(handle);
		made.reset();
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	}
	refused = at.cl.compile_program(handle, 1, &at.id, options.get(), cl_uint(n), headers.programs(),
					headers.names(), nullptr, nullptr);
	log = read_log(at.cl, handle, at.id);
	if (refused == CL_SUCCESS)
		return 0;
	made.reset();
	return say_refusal(at, HET_EBUILD, refused, log);
}

int link_opencl_program(const opencl_place &at, const program_source &source, std::span<device_program *const> objects,
			std::unique_ptr<device_program> &made, text &log)
{
	const std::unique_ptr<cl_program[]> handles(new (std::nothrow) cl_program[objects.size()]);
	if (!handles)
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	for (size_t i = 0; i < objects.size(); i++)
		handles[i] = static_cast<opencl_program *>(objects[i])->handle();
	cl_int refused = CL_SUCCESS;
	cl_program handle = at.cl.link_program(at.context, 1, &at.id, source.options, cl_uint(objects.size()),
					       handles.get(), nullptr, nullptr, &refused);
	if (handle)
		log = read_log(at.cl, handle, at.id);
	if (handle && refused == CL_SUCCESS)
		made.reset(new (std::nothrow) opencl_program(at, source, handle));
	if (made)
		return 0;
	if (handle)
		at.cl.release_program(handle);
	return refused == CL_SUCCESS ? fail(HET_ENOMEM, "%s: no memory for a program", at.device)
				     : say_refusal(at, HET_EBUILD, refused, log);
}

} // namespace het::rt
