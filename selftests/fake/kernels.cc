// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake driver's modules and launches are PTX, run by the project's interpreter.
#include "fake/driver.h"
#include "ptx/parser.h"
#include "simt/run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <forward_list>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace het
{

// A link makes this: the magic, the texts, each with its final 0, and another 0.
constexpr std::string_view linked_magic("linked\0", 7);

} // namespace het

struct CUmod_st {
	het::ptx::simt::program program{het::device_memory()};
};

namespace het
{

// The program wants to read here what is wrong with its images.
struct jit_log {
	unsigned noptions = 0;
	int *options = nullptr;
	void **values = nullptr;

	int refuse(const ptx::fault &wrong) const;
};

} // namespace het

struct CUlinkState_st {
	het::jit_log log;
	std::vector<het::ptx::module> modules;
	std::string image{het::linked_magic};
};

struct CUfunc_st {
	CUmod_st *module;
	const het::ptx::simt::code *code;
	bool copies; // for the library
};

namespace het
{

int jit_log::refuse(const ptx::fault &wrong) const
{
	std::string words = wrong.describe();
	char *room = nullptr;
	size_t size = 0;
	for (unsigned i = 0; i < noptions; i++) {
		if (options[i] == cu_jit_error_log)
			room = static_cast<char *>(values[i]);
		if (options[i] == cu_jit_error_log_size)
			size = reinterpret_cast<size_t>(values[i]);
	}
	if (room && size)
		snprintf(room, size, "%s", words.c_str());
	else
		fprintf(stderr, "fake CUDA: %s\n", words.c_str());
	return cu_error_invalid_ptx;
}

namespace
{

using ptx::simt::launch;

bool is_defined(const std::vector<ptx::module> &all, std::string_view name)
{
	constexpr std::string_view of_the_system[] = {"vprintf", "malloc", "free", "__assertfail"};
	return std::ranges::find(of_the_system, name) != std::end(of_the_system) ||
	       std::ranges::any_of(all, [&](const ptx::module &m) {
		       const ptx::function *f = m.find_function(name);
		       return f && f->has_body;
	       });
}

// The interpreter takes notice of a function that is missing only when it is called.
std::optional<ptx::fault> find_missing(const std::vector<ptx::module> &all)
{
	for (const ptx::module &m : all) {
		for (const ptx::function &f : m.functions) {
			if (!f.has_body && !is_defined(all, m.str(f.name)))
				return m.fault_at(f.name, "unresolved extern function");
		}
	}
	return std::nullopt;
}

// Returns the texts of an image: of a linked one, or the only one. The driver compiles what is not linked.
std::vector<const char *> texts_of(const char *image)
{
	if (strcmp(image, linked_magic.data()) != 0) {
		fake_cuda.compilations++;
		return {image};
	}
	std::vector<const char *> texts;
	for (const char *t = image + linked_magic.size(); *t; t += strlen(t) + 1)
		texts.push_back(t);
	return texts;
}

int make_module(cu_module *module, const void *image, const jit_log &log)
{
	std::vector<ptx::module> all;
	for (const char *text : texts_of(static_cast<const char *>(image)))
		if (auto wrong = ptx::parse(text, all.emplace_back()))
			return log.refuse(*wrong);
	if (auto missing = find_missing(all))
		return log.refuse(*missing);
	std::lock_guard g(device_lock());
	auto made = std::make_unique<CUmod_st>();
	if (auto wrong = made->program.load(std::move(all)))
		return log.refuse(*wrong);
	*module = made.release();
	return 0;
}

// Lets one kernel run at a time.
class only_one
{
      public:
	explicit only_one(int priority)
	{
		std::unique_lock g(lock());
		auto me = waiting().insert(priority);
		changed().wait(g, [&] { return !busy() && me == waiting().begin(); });
		waiting().erase(me);
		busy() = true;
	}
	~only_one()
	{
		std::lock_guard g(lock());
		busy() = false;
		changed().notify_all();
	}
	only_one(const only_one &) = delete;
	only_one &operator=(const only_one &) = delete;

      private:
	// These are never destroyed: threads may still be here.
	static std::mutex &lock()
	{
		static auto *l = new std::mutex;
		return *l;
	}
	static std::condition_variable &changed()
	{
		static auto *c = new std::condition_variable;
		return *c;
	}
	static std::multiset<int> &waiting()
	{
		static auto *w = new std::multiset<int>;
		return *w;
	}
	static bool &busy()
	{
		static bool b;
		return b;
	}
};

void wait_until(const std::function<bool()> &done)
{
	while (!done())
		std::this_thread::sleep_for(std::chrono::microseconds(100));
}

// Lets copies get on in the middle of a kernel, whose thread holds the device's lock.
void let_others(int priority, long steps)
{
	unsigned each = fake_cuda.copies_between;
	long hold = fake_cuda.hold_after;
	bool is_held = hold >= 0 && steps >= hold && priority == 0;
	if (!is_held && (!each || steps % each || !copies_wait()))
		return;
	device_lock().unlock();
	if (is_held) {
		fake_cuda.held_at = steps;
		fake_cuda.is_held = true;
		wait_until([=] { return fake_cuda.hold_after < 0 || fake_cuda.hold_after > steps; });
		fake_cuda.is_held = false;
	}
	std::this_thread::yield();
	device_lock().lock();
}

// The library's own kernel has two addresses first. It is the only one that other devices' memory is given to.
bool reaches_all(CUctx_st &c, const CUfunc_st &f, const launch &l)
{
	for (size_t i = 0; f.copies && i < 2; i++) {
		cu_deviceptr p = 0;
		memcpy(&p, &l.parameters[f.code->parameters[i].offset], sizeof(p));
		if (!reaches(c, p))
			return false;
	}
	return true;
}

int run(CUstream_st &s, const CUfunc_st &f, const launch &l)
{
	CUctx_st &c = s.context;
	const int priority = s.priority;
	int number = f.copies ? 0 : ++fake_cuda.kernels_begun;
	wait_until([&] { return f.copies ? !fake_cuda.hold_copying : number <= fake_cuda.kernels_let; });
	if (!reaches_all(c, f, l))
		return c.error = cu_error_illegal_address;
	only_one alone(priority);
	std::lock_guard g(device_lock());
	ptx::simt::options how;
	how.print = keep_print;
	long steps = 0;
	if (fake_cuda.copies_between || fake_cuda.hold_after >= 0) {
		how.resident_blocks = 4;
		how.trace = [&](const ptx::simt::step &) { let_others(priority, ++steps); };
	}
	auto done = ptx::simt::run(f.module->program, l, how);
	s.count(done.counts.warp_instructions);
	if (!reaches_all(c, f, l)) // any more
		return c.error = cu_error_illegal_address;
	if (!f.copies)
		fake_cuda.ends = fake_cuda.ends << 1 | (priority < 0); // one kernel runs at a time
	if (!done.error)
		return 0;
	fprintf(stderr, "fake CUDA: %s\n", done.error->describe().c_str());
	return cu_error_launch_failed;
}

// Returns false if the block is not described as the driver wants it.
bool put_block(launch &l, void **extra)
{
	const auto &last = l.kernel->parameters.back();
	auto word = [&](int i) { return reinterpret_cast<uintptr_t>(extra[i]); };
	if (word(0) != cu_launch_param_buffer_pointer || word(2) != cu_launch_param_buffer_size ||
	    word(4) != cu_launch_param_end || *static_cast<size_t *>(extra[3]) != last.offset + last.bytes)
		return false;
	const auto *block = static_cast<const unsigned char *>(extra[1]);
	l.parameters.resize(last.offset + last.bytes);
	memcpy(l.parameters.data(), block, l.parameters.size());
	return true;
}

void put_arguments(launch &l, void **values)
{
	for (size_t i = 0; i < l.kernel->parameters.size(); i++) {
		const auto &p = l.kernel->parameters[i];
		l.parameters.resize(p.offset + p.bytes);
		memcpy(&l.parameters[p.offset], values[i], p.bytes);
	}
}

} // namespace

int cuModuleLoadDataEx(cu_module *module, const void *image, unsigned noptions, int *options, void **values)
{
	if (int err = injected(__func__))
		return err;
	return make_module(module, image, {noptions, options, values});
}

int cuModuleLoadData(cu_module *module, const void *image)
{
	if (int err = injected(__func__))
		return err;
	return make_module(module, image, {});
}

int cuLinkCreate_v2(unsigned noptions, int *options, void **values, cu_link *link)
{
	*link = new CUlinkState_st;
	(*link)->log = {noptions, options, values};
	return injected(__func__);
}

int cuLinkAddData_v2(cu_link link, int type, void *data, size_t, const char *, unsigned, int *, void **)
{
	if (int err = injected(__func__))
		return err;
	if (type != cu_input_ptx)
		return cu_error_invalid_image;
	const auto *text = static_cast<const char *>(data);
	fake_cuda.compilations++;
	if (auto wrong = ptx::parse(text, link->modules.emplace_back()))
		return link->log.refuse(*wrong);
	link->image.append(text, strlen(text) + 1);
	return 0;
}

int cuLinkComplete(cu_link link, void **image, size_t *size)
{
	if (auto missing = find_missing(link->modules))
		return link->log.refuse(*missing);
	*image = link->image.data();
	*size = link->image.size() + 1;
	return injected(__func__);
}

int cuLinkDestroy(cu_link link)
{
	delete link;
	return injected(__func__);
}

int cuModuleUnload(cu_module module)
{
	show_prints();
	std::lock_guard g(device_lock());
	delete module;
	return injected(__func__);
}

// A function lives as long as the process, which is what the driver's handles seem to do.
static CUfunc_st *keep_function(const CUfunc_st &f)
{
	static std::mutex lock;
	static auto &all = *new std::forward_list<CUfunc_st>;
	std::lock_guard g(lock);
	return &all.emplace_front(f);
}

int cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
#ifdef __SANITIZE_THREAD__
	// Host and kernel tell each other of pieces in one memory, and the interpreter's loads and stores are no
	// atomics.
	if (!strcmp(name, "het_copy"))
		return cu_error_not_found;
#endif
	const ptx::simt::code *code = module->program.find(name);
	if (!code)
		return cu_error_not_found;
	*function = keep_function({module, code, !strcmp(name, "het_copy")});
	return injected(__func__);
}

int cuFuncGetParamInfo(cu_function f, size_t i, size_t *offset, size_t *size)
{
	if (i >= f->code->parameters.size())
		return cu_error_invalid_value;
	*offset = f->code->parameters[i].offset;
	*size = f->code->parameters[i].bytes;
	return injected(__func__);
}

int cuFuncGetAttribute(int *value, int attribute, cu_function)
{
	switch (attribute) {
	case cu_function_max_threads_per_block:
		*value = 1024;
		break;
	case cu_function_registers:
		*value = 64;
		break;
	default:
		return cu_error_invalid_value;
	}
	return injected(__func__);
}

int cuModuleGetGlobal_v2(cu_deviceptr *address, size_t *size, cu_module module, const char *name)
{
	auto variable = module->program.variable(name);
	if (!variable.bytes)
		return cu_error_not_found;
	*address = variable.address;
	*size = variable.bytes;
	return injected(__func__);
}

int cuLaunchKernel(cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
		   unsigned block_z, unsigned shared, cu_stream stream, void **parameters, void **extra)
{
	if (int err = injected(__func__))
		return err;
	show_prints();
	launch l;
	l.kernel = f->code;
	l.grid = {grid_x, grid_y, grid_z};
	l.block = {block_x, block_y, block_z};
	l.shared_bytes = shared;
	if (extra && !put_block(l, extra))
		return cu_error_invalid_value;
	if (!extra)
		put_arguments(l, parameters);
	int later = injected_work(__func__);
	CUstream_st &on = stream_or_default(stream);
	if (on.context.device < fake_cuda_linked)
		fake_cuda.launches[on.context.device]++;
	on.add([=, &on] { return later ? later : run(on, *f, l); });
	return 0;
}

} // namespace het
