// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The fake driver's devices and contexts are here, and the failures that tests ask for.
#include "fake/driver.h"

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

fake_cuda_state fake_cuda = {.devices = 2,
			     .version = 13000,
			     .units = 1,
			     .fail_symbol = nullptr,
			     .fail_after = 0,
			     .fail_code = 0,
			     .fails_always = false,
			     .pace = 0,
			     .slow_us = 0,
			     .reads_wait = false,
			     .memory = 1ul << 30,
			     .others_memory = 0,
			     .link_rate = 0,
			     .others_share = {},
			     .carried = {},
			     .link_stops = {},
			     .peer_rate = 0,
			     .peers_carried = {},
			     .hold_copying = false,
			     .kernels_let = INT_MAX,
			     .copies_between = 0,
			     .hold_after = -1,
			     .held_at = 0,
			     .is_held = false,
			     .ends = 0,
			     .registered = 0,
			     .registrations = 0,
			     .pageable_copies = 0,
			     .peer_copies = 0,
			     .batches = 0,
			     .kernels_begun = 0,
			     .launches = {},
			     .writes = 0,
			     .writes_under_way = 0,
			     .asked_copies = 0,
			     .compilations = 0,
			     .contexts_held = 0,
			     .streams = 0,
			     .most_memory = 0,
			     .host_blocks = 0};

namespace het
{

namespace
{

// It is never destroyed: handlers of exit() make calls when the thread's own objects are gone.
constinit thread_local struct {
	CUctx_st *all[64];
	size_t count;
} stack = {};
std::mutex contexts_lock;
// The map has primary contexts and others by device. It is never destroyed: threads may still look at one.
std::multimap<int, CUctx_st *> &contexts()
{
	static auto *all = new std::multimap<int, CUctx_st *>;
	return *all;
}

CUctx_st *make_context(int device, bool primary)
{
	auto *c = new CUctx_st{.device = device, .primary = primary, .default_stream = nullptr};
	c->default_stream = std::make_unique<CUstream_st>(*c);
	contexts().emplace(device, c);
	return c;
}

CUctx_st *primary_context(int device)
{
	auto [begin, end] = contexts().equal_range(device);
	for (auto c = begin; c != end; ++c) {
		if (c->second->primary)
			return c->second;
	}
	return make_context(device, true);
}

// By device: how many hold its primary context. And which device's kernels reach which other one's memory.
std::map<int, int> &holders()
{
	static auto *all = new std::map<int, int>;
	return *all;
}
std::set<std::pair<int, int>> &accesses()
{
	static auto *all = new std::set<std::pair<int, int>>;
	return *all;
}

void reset(int device)
{
	std::erase_if(accesses(), [device](auto &a) { return a.first == device || a.second == device; });
	primary_context(device)->error = 0;
}

const bool environment_was_read = [] {
	if (const char *n = getenv("FAKE_CUDA_DEVICES"))
		fake_cuda.devices = atoi(n);
	if (const char *n = getenv("FAKE_CUDA_UNITS"))
		fake_cuda.units = atoi(n);
	if (const char *n = getenv("FAKE_CUDA_MEMORY"))
		fake_cuda.memory = strtoul(n, nullptr, 10);
	if (const char *n = getenv("FAKE_CUDA_PACE"))
		fake_cuda.pace = unsigned(atoi(n));
	static char symbol[64];
	int after, code;
	const char *fail = getenv("FAKE_CUDA_FAIL");
	if (fail && sscanf(fail, "%63[^:]:%d:%d", symbol, &after, &code) == 3) {
		fake_cuda.fail_after = after;
		fake_cuda.fail_code = code;
		fake_cuda.fail_symbol = symbol;
	}
	return true;
}();

int injected_named(const char *name)
{
	const char *wanted = fake_cuda.fail_symbol.load();
	if (!wanted || strcmp(wanted, name) || fake_cuda.fail_after-- > 0)
		return 0;
	if (!fake_cuda.fails_always)
		fake_cuda.fail_symbol = nullptr;
	return fake_cuda.fail_code;
}

bool is_device(int ordinal)
{
	return ordinal >= 0 && ordinal < fake_cuda.devices;
}

} // namespace

int injected(const char *symbol)
{
	const int lost = current() ? current()->error.load() : 0;
	return lost ? lost : injected_named(symbol);
}

int injected_work(const char *symbol)
{
	return injected_named((std::string("work of ") + symbol).c_str());
}

namespace
{

// What kernels have printed stays here until a call shows it.
std::mutex printed_lock;
std::string &printed()
{
	static auto *all = new std::string;
	return *all;
}

} // namespace

void keep_print(std::string_view text)
{
	std::lock_guard g(printed_lock);
	printed() += text;
}

void show_prints()
{
	std::lock_guard g(printed_lock);
	if (printed().empty())
		return;
	fwrite(printed().data(), 1, printed().size(), stdout);
	fflush(stdout);
	printed().clear();
}

CUctx_st *current()
{
	return stack.count ? stack.all[stack.count - 1] : nullptr;
}

int cuInit(unsigned)
{
	return injected(__func__);
}

int cuDriverGetVersion(int *version)
{
	*version = fake_cuda.version;
	return injected(__func__);
}

int cuGetErrorName(int error, const char **name)
{
	static const std::map<int, const char *> names = {
		{cu_success, "CUDA_SUCCESS"},
		{cu_error_invalid_value, "CUDA_ERROR_INVALID_VALUE"},
		{cu_error_out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
		{cu_error_no_device, "CUDA_ERROR_NO_DEVICE"},
		{cu_error_invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
		{cu_error_invalid_handle, "CUDA_ERROR_INVALID_HANDLE"},
		{cu_error_illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
		{cu_error_launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
	};
	auto found = names.find(error);
	*name = found == names.end() ? nullptr : found->second;
	return *name ? 0 : int(cu_error_invalid_value);
}

int cuDeviceGetCount(int *count)
{
	*count = fake_cuda.devices;
	return injected(__func__);
}

int cuDeviceGet(cu_device *device, int ordinal)
{
	*device = ordinal;
	return is_device(ordinal) ? injected(__func__) : int(cu_error_invalid_device);
}

int cuDeviceGetName(char *name, int size, cu_device device)
{
	snprintf(name, size_t(size), "fake GPU %d", device);
	return injected(__func__);
}

int cuDeviceGetAttribute(int *value, int attribute, cu_device)
{
	switch (attribute) {
	case cu_attribute_compute_capability_major:
		*value = 9;
		break;
	case cu_attribute_max_threads_per_block:
		*value = 1024;
		break;
	case cu_attribute_max_shared_memory_per_block:
		*value = 48 << 10;
		break;
	case cu_attribute_total_constant_memory:
		*value = 65536;
		break;
	case cu_attribute_multiprocessor_count:
		*value = fake_cuda.units;
		break;
	case cu_attribute_registers_per_multiprocessor:
		*value = 64 << 10;
		break;
	case cu_attribute_threads_per_multiprocessor:
		*value = 2048;
		break;
	case cu_attribute_async_engine_count:
		*value = 3;
		break;
	default:
		*value = 0;
	}
	return injected(__func__);
}

int cuDeviceTotalMem_v2(size_t *bytes, cu_device)
{
	*bytes = fake_cuda.memory;
	return injected(__func__);
}

int cuDeviceCanAccessPeer(int *can, cu_device, cu_device)
{
	*can = 1;
	return injected(__func__);
}

int cuCtxEnablePeerAccess(cu_context peer, unsigned)
{
	if (int err = injected(__func__))
		return err;
	std::lock_guard g(contexts_lock);
	const bool is_new = accesses().emplace(current()->device, peer->device).second;
	return is_new ? 0 : int(cu_error_peer_access_already_enabled);
}

int cuCtxDisablePeerAccess(cu_context peer)
{
	if (int err = injected(__func__))
		return err;
	std::lock_guard g(contexts_lock);
	return accesses().erase({current()->device, peer->device}) ? 0 : int(cu_error_peer_access_not_enabled);
}

bool reaches(CUctx_st &from, cu_deviceptr p)
{
	const CUctx_st *owner = owner_of(p);
	std::lock_guard g(contexts_lock);
	return !owner || owner->device == from.device || accesses().contains({from.device, owner->device});
}

int cuDevicePrimaryCtxRetain(cu_context *context, cu_device device)
{
	if (int err = injected(__func__))
		return err;
	if (!is_device(device))
		return cu_error_invalid_device;
	std::lock_guard g(contexts_lock);
	fake_cuda.contexts_held++;
	holders()[device]++;
	*context = primary_context(device);
	return 0;
}

int cuDevicePrimaryCtxRelease_v2(cu_device device)
{
	fake_cuda.contexts_held--;
	{
		std::lock_guard g(contexts_lock);
		if (--holders()[device] == 0)
			reset(device);
	}
	return injected(__func__);
}

int cuCtxPushCurrent_v2(cu_context context)
{
	if (int err = injected(__func__))
		return err;
	if (stack.count == std::size(stack.all))
		return cu_error_invalid_value;
	stack.all[stack.count++] = context;
	return 0;
}

int cuCtxPopCurrent_v2(cu_context *context)
{
	if (!stack.count)
		return cu_error_invalid_context;
	*context = stack.all[--stack.count];
	return injected(__func__);
}

FAKE_API CUctx_st *fake_cuda_other_context(int device);
CUctx_st *fake_cuda_other_context(int device)
{
	std::lock_guard g(contexts_lock);
	return make_context(device, false);
}

} // namespace het
