// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Modules and launches: PTX, run by the project's interpreter.
#include "fake/driver.h"
#include "ptx/parser.h"
#include "ptx/simt/run.h"

#include <cstdio>
#include <cstring>
#include <vector>

struct CUmod_st {
	het::ptx::simt::program program{het::device_memory()};
};

struct CUfunc_st {
	CUmod_st *module;
	const het::ptx::simt::code *code;
};

namespace het
{

namespace
{

using ptx::simt::launch;

int run(const CUfunc_st &f, const launch &l)
{
	std::lock_guard g(device_lock());
	auto done = ptx::simt::run(f.module->program, l, {});
	if (!done.error)
		return 0;
	fprintf(stderr, "fake CUDA: %s\n", done.error->describe().c_str());
	return cu_error_launch_failed;
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

int cuModuleLoadData(cu_module *module, const void *image)
{
	if (int err = injected(__func__))
		return err;
	ptx::module parsed;
	auto wrong = ptx::parse(static_cast<const char *>(image), parsed);
	std::lock_guard g(device_lock());
	auto made = std::make_unique<CUmod_st>();
	if (!wrong) {
		std::vector<ptx::module> all;
		all.push_back(std::move(parsed));
		wrong = made->program.load(std::move(all));
	}
	if (wrong) {
		fprintf(stderr, "fake CUDA: %s\n", wrong->describe().c_str());
		return cu_error_invalid_value;
	}
	*module = made.release();
	return 0;
}

int cuModuleUnload(cu_module module)
{
	std::lock_guard g(device_lock());
	delete module;
	return injected(__func__);
}

// A function lives as long as the process, which is what the driver's handles seem to do.
int cuModuleGetFunction(cu_function *function, cu_module module, const char *name)
{
	const ptx::simt::code *code = module->program.find(name);
	if (!code)
		return cu_error_not_found;
	*function = new CUfunc_st{module, code};
	return injected(__func__);
}

int cuLaunchKernel(cu_function f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
		   unsigned block_z, unsigned shared, cu_stream stream, void **parameters, void **)
{
	if (int err = injected(__func__))
		return err;
	launch l;
	l.kernel = f->code;
	l.grid = {grid_x, grid_y, grid_z};
	l.block = {block_x, block_y, block_z};
	l.shared_bytes = shared;
	put_arguments(l, parameters);
	int later = injected_work(__func__);
	stream_or_default(stream).add([=] { return later ? later : run(*f, l); });
	return 0;
}

} // namespace het
