// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_program.h"

#include "core/range.h"
#include "dev/best_image.h"
#include "dev/cuda_modules.h"
#include "dev/cuda_slices.h"
#include "os/log.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace het::rt
{

namespace
{

constexpr size_t shared_alignment = 16;
constexpr size_t parameter_alignment = 16; // the largest one

class cuda_program final : public device_program, public cuda_stop_source
{
      public:
	cuda_program(const cuda_place &at, const program_source &source)
	    : at_(at), source_(source), cu_(at.cu), context_(at.context), device_(at.device)
	{
	}
	~cuda_program() override
	{
		cuda_current c(cu_, context_);
		if (c.error())
			return;
		ids_.close(cu_);
		if (module_)
			cu_.unload_module(module_);
	}

	int load(std::span<const het_image> images, char *log);
	// Loads one text, with its instruments.
	int load(instrumented from, char *log);
	int make_kernel(const char *name, std::unique_ptr<device_kernel> &made) override;
	int make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made) override;
	int find_variable(const char *name, void **address, size_t *nbytes) override;
	std::unique_ptr<cuda_stop_kernel> make_stop_kernel(const char *name) override;

      private:
	int find_kernel(const char *name, bool is_sliced, std::unique_ptr<device_kernel> &made);
	bool find_ptx(std::string &text) const;
	int build_sliced();
	void build_in_place();
	int make_in_place_kernel(const char *name, std::unique_ptr<device_kernel> &made);
	void build_inspection();
	int make_inspection_kernel(const char *name, std::unique_ptr<device_kernel> &made);
	bool find_tables(cuda_program &of, bool inspects) const;
	std::unique_ptr<cuda_program> build_other(const std::string &text, const char *what) const;
	unsigned registers_for(const std::string &name) const;
	void build_stopped();
	const char *why_not_in_place() const override { return why_not_in_place_.c_str(); }

	const cuda_place at_;
	const program_source &source_;
	const cuda_calls &cu_;
	const cu_context context_;
	const char *device_;
	cu_module module_ = nullptr;
	cuda_tables tables_;
	cuda_ids ids_;
	// Holds the same program for slices, once it was asked for, or null if it can't be had.
	bool is_slicing_tried_ = false;
	std::unique_ptr<cuda_program> sliced_;
	std::map<std::string, std::string, std::less<>> whole_; // sliced_text::whole
	bool has_variables_ = false;                            // and has_variables
	// Holds the same program for launches in place, in the same way, and that has this variable, and these of
	// in_place_text.
	bool is_in_place_tried_ = false;
	std::unique_ptr<cuda_program> in_place_;
	std::string why_not_in_place_; // for people
	cu_deviceptr granules_ = 0;
	std::map<std::string, unsigned, std::less<>> widest_access_;
	// Holds kernels that find out what those use, in the same way, with this variable as well.
	bool is_inspection_tried_ = false;
	std::unique_ptr<cuda_program> inspection_;
	cu_deviceptr inspected_ = 0;
	// Holds the same program such that it can be stopped, in the same way.
	bool is_stopping_tried_ = false;
	std::unique_ptr<cuda_program> stopped_;
	std::map<std::string, stop_text::kernel, std::less<>> stop_kernels_;
};

// Returns a code of the driver's.
int cuda_program::load(std::span<const het_image> images, char *log)
{
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : load_cuda_images(cu_, at_.can, images, log, &module_);
	return err ? err : ids_.open(cu_, module_);
}

int cuda_program::load(instrumented from, char *log)
{
	const het_image image = {HET_IMAGE_PTX, 0, from.text.c_str(), from.text.size()};
	int err = load({&image, 1}, log);
	cuda_current c(cu_, context_);
	if (!err)
		err = c.error();
	return err ? err : tables_.open(cu_, module_, std::move(from));
}

int cuda_program::find_kernel(const char *name, bool is_sliced, std::unique_ptr<device_kernel> &made)
{
	cuda_current c(cu_, context_);
	cu_function f = nullptr;
	int err = c.error() ? c.error() : cu_.get_function(&f, module_, name);
	if (err == cu_error_not_found)
		return HET_ENAME;
	in_place_kernel in_place;
	if (auto widest = widest_access_.find(name); widest != widest_access_.end())
		in_place = {granules_, widest->second, inspected_};
	const bool is_copy = is_sliced || granules_ || tables_.has().any();
	std::unique_ptr<cuda_kernel> k(err ? nullptr
					   : new (std::nothrow) cuda_kernel(f, tables_, ids_, is_sliced, in_place, name,
									    is_copy ? nullptr : this));
	if (k)
		err = k->open(cu_);
	else if (!err)
		err = cu_error_out_of_memory;
	if (err)
		return fail(HET_EDEVICE, "%s: making kernel %s failed: %s (%d)", device_, name, cu_.name_of(err), err);
	made = std::move(k);
	return 0;
}

int cuda_program::make_kernel(const char *name, std::unique_ptr<device_kernel> &made)
{
	return find_kernel(name, false, made);
}

// Finds a text that is all of the program. Returns false if there is none.
bool cuda_program::find_ptx(std::string &text) const
{
	if (!source_.images.empty()) {
		bool is_text = source_.images.size() == 1 && source_.images[0].kind == HET_IMAGE_PTX;
		text = is_text ? static_cast<const char *>(source_.images[0].data) : "";
		return is_text;
	}
	fatbin::image i;
	fatbin::bytes bytes;
	fatbin::fault why;
	for (uint32_t n = 0; fatbin::pick(*source_.fat, at_.can, n, i); n++) {
		if (i.target != fatbin::target::ptx || !source_.fat->contents(i, bytes, why))
			continue;
		text.assign(reinterpret_cast<const char *>(bytes.data()), bytes.size());
		return true;
	}
	return false;
}

// Returns null, having said why, if it can't be had. @what says for people what it is.
std::unique_ptr<cuda_program> cuda_program::build_other(const std::string &text, const char *what) const
{
	het::rt::text log(new (std::nothrow) char[cuda_log_size]());
	std::unique_ptr<cuda_program> made(new (std::nothrow) cuda_program(at_, source_));
	if (!log || !made)
		return nullptr;
	const het_image image = {HET_IMAGE_PTX, 0, text.c_str(), text.size()};
	int err = made->load({&image, 1}, log.get());
	if (!err)
		return made;
	inform("%s: a %s program can't be loaded: %s (%d): %.300s", device_, what, cu_.name_of(err), err, log.get());
	return nullptr;
}

// Returns with how many registers a kernel still has as many blocks on an SM as the plain one, or 0 if that is not
// known. Blocks that run together may wait for each other, so they must have room together when they go on.
unsigned cuda_program::registers_for(const std::string &name) const
{
	constexpr unsigned unit = 8; // A thread gets so many at a time.
	cuda_current c(cu_, context_);
	cu_function f = nullptr;
	int plain = 0;
	int err = c.error() ? c.error() : cu_.get_function(&f, module_, name.c_str());
	if (!err)
		err = cu_.function_attribute(&plain, cu_function_registers, f);
	if (err || !at_.full_registers)
		return 0;
	return std::max((unsigned(plain) + unit - 1) / unit * unit, at_.full_registers / unit * unit);
}

void cuda_program::build_stopped()
{
	std::string text;
	stop_text made = {{}, "it has no PTX, or several modules", {}};
	if (find_ptx(text))
		made = ptx_stop_text(text.c_str(), [&](const std::string &name) { return registers_for(name); });
	if (made.text.empty())
		inform("%s: kernels of a program can't be stopped for others: %.300s", device_, made.why.c_str());
	else
		stopped_ = build_other(made.text, "stoppable");
	stop_kernels_ = std::move(made.kernels);
}

std::unique_ptr<cuda_stop_kernel> cuda_program::make_stop_kernel(const char *name)
{
	if (!std::exchange(is_stopping_tried_, true))
		build_stopped();
	auto found = stop_kernels_.find(name);
	if (!stopped_ || found == stop_kernels_.end())
		return nullptr;
	auto made = std::make_unique<cuda_stop_kernel>();
	made->what = found->second;
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : cu_.get_function(&made->begins, stopped_->module_, name);
	if (!err)
		err = cu_.get_function(&made->resumes, stopped_->module_,
				       (std::string(name) + std::string(ptx::resumed_suffix)).c_str());
	if (!err)
		err = made->open(cu_);
	if (!err)
		return made;
	inform("%s: kernel %s can't be stopped for others: %s (%d)", device_, name, cu_.name_of(err), err);
	return nullptr;
}

// Returns HET_ENODEV, having said why, if it can't be built.
int cuda_program::build_sliced()
{
	std::string text;
	sliced_text made = {{}, "it has no PTX, or several modules", {}};
	if (find_ptx(text))
		made = ptx_slice_text(text.c_str());
	if (made.text.empty()) {
		inform("%s: a program can't be sliced: %.300s", device_, made.why.c_str());
		return HET_ENODEV;
	}
	whole_ = std::move(made.whole);
	has_variables_ = made.has_variables;
	sliced_ = build_other(made.text, "sliced");
	return sliced_ ? 0 : HET_ENODEV;
}

void cuda_program::build_in_place()
{
	std::string text;
	in_place_text made = {{}, "it has no PTX, or several modules", {}};
	if (find_ptx(text))
		made = ptx_in_place_text(text.c_str());
	why_not_in_place_ = made.text.empty() ? std::move(made.why) : "the driver does not take the text made for it";
	if (made.text.empty())
		return;
	in_place_ = build_other(made.text, "moved");
	if (in_place_ && find_tables(*in_place_, false))
		in_place_->widest_access_ = std::move(made.widest_access);
	else
		in_place_.reset();
}

bool cuda_program::find_tables(cuda_program &of, bool inspects) const
{
	cuda_current c(cu_, context_);
	size_t nbytes = 0;
	auto find = [&](cu_deviceptr *at, const char *name) {
		return !c.error() && !cu_.get_variable(at, &nbytes, of.module_, name);
	};
	return find(&of.granules_, granules_variable) && (!inspects || find(&of.inspected_, inspection_variable));
}

// It is of use where kernels run in place.
void cuda_program::build_inspection()
{
	std::string text;
	if (!in_place_ || !find_ptx(text))
		return;
	inspection_text made = ptx_inspection_text(text.c_str());
	if (!made.why.empty())
		inform("%s: nobody can tell beforehand what a program uses: %.300s", device_, made.why.c_str());
	if (made.text.empty())
		return;
	inspection_ = build_other(made.text, "inspecting");
	if (inspection_ && find_tables(*inspection_, true))
		inspection_->widest_access_ = in_place_->widest_access_;
	else
		inspection_.reset();
}

int cuda_program::make_inspection_kernel(const char *name, std::unique_ptr<device_kernel> &made)
{
	if (!std::exchange(is_inspection_tried_, true))
		build_inspection();
	const int err = inspection_ ? inspection_->find_kernel(name, false, made) : HET_ENODEV;
	return err == HET_ENAME ? HET_ENODEV : err;
}

int cuda_program::make_in_place_kernel(const char *name, std::unique_ptr<device_kernel> &made)
{
	if (!std::exchange(is_in_place_tried_, true))
		build_in_place();
	return in_place_ ? in_place_->find_kernel(name, false, made) : HET_ENODEV;
}

// Slices in windows take the place of a launch that nobody has allowed to be divided, so they must be as that.
int cuda_program::make_slice_kernel(const char *name, const slicing &how, std::unique_ptr<device_kernel> &made)
{
	if (how.inspects)
		return make_inspection_kernel(name, made);
	if (how.in_place)
		return make_in_place_kernel(name, made);
	if (!is_slicing_tried_) {
		is_slicing_tried_ = true;
		if (int err = build_sliced())
			return err;
	}
	if (!sliced_)
		return HET_ENODEV;
	if (auto at = whole_.find(name); at != whole_.end()) {
		inform("%s: kernel %s is not sliced: %.300s", device_, name, at->second.c_str());
		return HET_ENODEV;
	}
	if (how.in_windows && has_variables_) {
		inform("%s: kernel %s does not run in windows: its program has variables", device_, name);
		return HET_ENODEV;
	}
	return sliced_->find_kernel(name, true, made);
}

int cuda_program::find_variable(const char *name, void **address, size_t *nbytes)
{
	cuda_current c(cu_, context_);
	cu_deviceptr at = 0;
	int err = c.error() ? c.error() : cu_.get_variable(&at, nbytes, module_, name);
	// The driver returns the latter for names of kernels.
	if (err == cu_error_not_found || err == cu_error_invalid_value)
		return HET_ENAME;
	if (err)
		return fail(HET_EDEVICE, "%s: finding variable %s failed: %s (%d)", device_, name, cu_.name_of(err),
			    err);
	*address = reinterpret_cast<void *>(uintptr_t(at));
	return 0;
}

} // namespace

int cuda_kernel::open(const cuda_calls &cu)
{
	size_t offset, size;
	int most = 0;
	if (!cu.function_attribute(&most, cu_function_max_threads_per_block, handle_) && most > 0)
		most_items_ = size_t(most);
	int registers = 0;
	if (!cu.function_attribute(&registers, cu_function_registers, handle_) && registers > 0)
		registers_ = uint32_t(registers);
	while (!cu.describe_parameter(handle_, nargs_, &offset, &size))
		nargs_++;
	sizes_.reset(new (std::nothrow) size_t[nargs_]);
	words_.reset(new (std::nothrow) uint64_t[nargs_]);
	values_.reset(new (std::nothrow) void *[nargs_]);
	if (!sizes_ || !words_ || !values_)
		return cu_error_out_of_memory;
	for (size_t i = 0; i < nargs_; i++) {
		if (int err = cu.describe_parameter(handle_, i, &offset, &sizes_[i]))
			return err;
		block_bytes_ = offset + sizes_[i];
	}
	return 0;
}

// A structure of the program's may end with padding that the parameters do not have. The driver tells sizes alone.
int cuda_kernel::check_argument(const char *kernel, size_t i, const device_arg &a) const
{
	bool is_value = a.kind == HET_ARG_VALUE, is_local = a.kind == HET_ARG_LOCAL;
	if (a.kind == HET_ARG_BLOCK) {
		bool fits = a.nbytes >= block_bytes_ && a.nbytes <= round_up(block_bytes_, parameter_alignment);
		return fits ? 0
			    : fail(HET_EARG, "het_launch: the block has %zu bytes, the parameters of kernel %s %zu",
				   a.nbytes, kernel, block_bytes_);
	}
	if (is_value ? sizes_[i] == a.nbytes : sizes_[i] == sizeof(cu_deviceptr) || (is_local && sizes_[i] == 4))
		return 0;
	return fail(HET_EARG, "het_launch: argument %zu of kernel %s has %zu bytes, and %s of %zu was given", i, kernel,
		    sizes_[i],
		    is_value   ? "a value"
		    : is_local ? "the offset of local memory"
			       : "an address",
		    is_value ? a.nbytes : sizeof(cu_deviceptr));
}

void cuda_kernel::set_one(size_t i, const device_arg &a)
{
	bool is_value = a.kind == HET_ARG_VALUE, is_local = a.kind == HET_ARG_LOCAL;
	values_[i] = is_value ? a.pointer : &words_[i];
	if (is_local)
		words_[i] = take_shared(a.nbytes);
	else if (!is_value)
		words_[i] = reinterpret_cast<uintptr_t>(a.kind == HET_ARG_ADDRESS ? a.pointer : a.buffer) + a.offset;
}

void cuda_kernel::set_control(cu_deviceptr at)
{
	words_[nargs_ - 1] = at;
	values_[nargs_ - 1] = &words_[nargs_ - 1];
}

void cuda_kernel::set_block(const device_arg &a)
{
	block_ = block_description_[1] = a.pointer;
}

// Takes shared memory and returns where it begins.
uint64_t cuda_kernel::take_shared(size_t nbytes)
{
	unsigned before = shared_bytes_;
	shared_bytes_ += unsigned(round_up(nbytes, shared_alignment));
	return before;
}

void cuda_kernel::set(std::span<const device_arg> args)
{
	shared_bytes_ = 0;
	block_ = nullptr;
	bool is_block = !args.empty() && args[0].kind == HET_ARG_BLOCK;
	if (is_block)
		set_block(args[0]);
	for (size_t i = is_block; i < args.size(); i++) {
		if (is_block)
			take_shared(args[i].nbytes); // moves on, as the block has the offsets
		else
			set_one(i, args[i]);
	}
}

namespace
{

// @why names those that are missing, where some are there.
void tell_missing(const char *device, const char *why)
{
	warn("%s: a program runs without instruments that it was to have: %.300s", device, why);
}

// Loads the images with their instruments, if that is wanted and possible. Returns null, having said why, if they are
// to be loaded as they are.
std::unique_ptr<cuda_program> build_instrumented(const cuda_place &at, const program_source &source,
						 std::span<const het_image> images, char *log)
{
	if (!at.wanted.any())
		return nullptr;
	if (images.size() > 1 || images[0].kind != HET_IMAGE_PTX) {
		tell_missing(at.device, images.size() > 1 ? "several images that are linked" : "native code, no PTX");
		return nullptr;
	}
	instrumented made = instrument(static_cast<const char *>(images[0].data), at.wanted);
	if (!made.missing.empty())
		tell_missing(at.device, made.missing.c_str());
	std::unique_ptr<cuda_program> program(new (std::nothrow) cuda_program(at, source));
	if (!made.has.any() || !program)
		return nullptr;
	if (program->load(std::move(made), log)) {
		tell_missing(at.device, log[0] ? log : "the driver takes only the plain text");
		log[0] = 0;
		return nullptr;
	}
	return program;
}

// Says nothing of the driver's error, which @refused receives; the answer is HET_EBUILD then.
int build_images(const cuda_place &at, const program_source &source, std::span<const het_image> images,
		 std::unique_ptr<device_program> &made, text &log, int *refused)
{
	*refused = 0;
	text words(new (std::nothrow) char[cuda_log_size]());
	std::unique_ptr<cuda_program> program = words ? build_instrumented(at, source, images, words.get()) : nullptr;
	bool is_plain = !program;
	if (is_plain)
		program.reset(new (std::nothrow) cuda_program(at, source));
	if (!words || !program)
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	if (is_plain)
		*refused = program->load(images, words.get());
	log = words[0] ? std::move(words) : nullptr;
	if (*refused)
		return HET_EBUILD;
	made = std::move(program);
	return 0;
}

// The driver wants a text to end with a 0.
int build_image(const cuda_place &at, const program_source &source, fatbin::target target, fatbin::bytes bytes,
		std::unique_ptr<device_program> &made, text &log, int *refused)
{
	text copy(new (std::nothrow) char[bytes.size() + 1]);
	if (!copy)
		return fail(HET_ENOMEM, "%s: no memory for a program", at.device);
	memcpy(copy.get(), bytes.data(), bytes.size());
	copy[bytes.size()] = 0;
	const het_image image = {.kind = target == fatbin::target::ptx ? HET_IMAGE_PTX : HET_IMAGE_CUBIN,
				 .flags = 0,
				 .data = copy.get(),
				 .nbytes = bytes.size()};
	return build_images(at, source, {&image, 1}, made, log, refused);
}

} // namespace

int build_cuda_program(const cuda_place &at, const program_source &source, std::unique_ptr<device_program> &made,
		       text &log)
{
	int refused = 0;
	auto build = [&](const fatbin::image &i, fatbin::bytes bytes) {
		return build_image(at, source, i.target, bytes, made, log, &refused);
	};
	auto words_of = [&](int e) { return at.cu.name_of(e); };
	int err = HET_ENODEV;
	if (!source.images.empty())
		err = build_images(at, source, source.images, made, log, &refused);
	// Only PTX can have instruments.
	else if (at.wanted.any())
		err = build_best_image(at.device, at.can, *source.fat, &refused, words_of, build,
				       [](const fatbin::image &i) { return i.target == fatbin::target::ptx; });
	if (err && source.images.empty())
		err = build_best_image(at.device, at.can, *source.fat, &refused, words_of, build);
	if (err && refused)
		return fail(err, "%s: the program's images can't be loaded: %s (%d): %.300s", at.device,
			    at.cu.name_of(refused), refused, log ? log.get() : "the driver gave no reason");
	return err;
}

} // namespace het::rt
