// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Stands in for libgomp of GCC 13: it has what that has for plug-ins, loads the one of its argument, calls it as that
// does, and prints KTAP. Its image is a region that tells how it was launched.
#include "libgomp.h"

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <thread>

#define SEEN_BY_PLUGINS extern "C" __attribute__((visibility("default")))

namespace
{

std::atomic<void *> completed;
char last_error[256];

} // namespace

SEEN_BY_PLUGINS void GOMP_PLUGIN_fatal(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	exit(1);
}

SEEN_BY_PLUGINS void GOMP_PLUGIN_error(const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(last_error, sizeof last_error, format, list);
	va_end(list);
}

SEEN_BY_PLUGINS void *GOMP_PLUGIN_malloc(size_t nbytes)
{
	return malloc(nbytes);
}

SEEN_BY_PLUGINS void GOMP_PLUGIN_target_task_completion(void *task)
{
	completed = task;
}

SEEN_BY_PLUGINS void GOMP_PLUGIN_target_rev() {}

namespace
{

using namespace het_omp;

constexpr char text[] = R"(.version 6.3
.target sm_70
.address_size 64
.visible .global .align 4 .b8 __gomp_additional_icvs[16];
.visible .global .align 8 .u64 counter = 41;
.visible .entry region(.param .u64 %arg, .param .u64 %stack, .param .u64 %sz)
{
	.reg .pred %p;
	.reg .b32 %r<4>;
	.reg .b64 %R<4>;
	mov.u32 %r0, %ctaid.x;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %tid.y;
	or.b32 %r0, %r0, %r1;
	or.b32 %r0, %r0, %r2;
	setp.ne.u32 %p, %r0, 0;
	@%p ret;
	ld.param.u64 %R0, [%arg];
	ld.param.u64 %R1, [%stack];
	ld.param.u64 %R2, [%sz];
	mov.u32 %r0, %nctaid.x;
	mov.u32 %r1, %ntid.x;
	mov.u32 %r2, %ntid.y;
	st.global.u32 [%R0], %r0;
	st.global.u32 [%R0+4], %r1;
	st.global.u32 [%R0+8], %r2;
	st.global.u64 [%R0+16], %R1;
	st.global.u64 [%R0+24], %R2;
	st.global.u64 [%R1], %R2;
	ret;
}
)";

struct told {
	uint32_t teams, lanes, threads, unused;
	uint64_t stacks, stack_bytes;
};

constexpr ptx_object objects[] = {{text, sizeof text}};
constexpr const char *variables[] = {"counter"};
constexpr image_function functions[] = {{"region", {0, 0, 0}}};
constexpr image_data data = {objects, 1, variables, 1, functions, 1};

// These are the entry points as libgomp of GCC 13 declares them.
struct {
	unsigned (*version)();
	const char *(*get_name)();
	unsigned (*get_caps)();
	int (*get_type)();
	int (*get_num_devices)(unsigned);
	bool (*init_device)(int);
	bool (*fini_device)(int);
	int (*load_image)(int, unsigned, const void *, table_entry **, uint64_t **);
	bool (*unload_image)(int, unsigned, const void *);
	void *(*alloc)(int, size_t);
	bool (*free)(int, void *);
	bool (*dev2host)(int, void *, const void *, size_t);
	bool (*host2dev)(int, void *, const void *, size_t);
	bool (*dev2dev)(int, void *, const void *, size_t);
	void (*run)(int, void *, void *, void **);
	void (*async_run)(int, void *, void *, void **, void *);
} call;

template <class F> void find(void *plugin, const char *name, F &function)
{
	char symbol[64];
	snprintf(symbol, sizeof symbol, "GOMP_OFFLOAD_%s", name);
	function = reinterpret_cast<F>(dlsym(plugin, symbol));
	if (!function) {
		printf("Bail out! there is no %s\n", symbol);
		exit(1);
	}
}

void find_all(void *plugin)
{
#define FIND(name) find(plugin, #name, call.name)
	FIND(version);
	FIND(get_name);
	FIND(get_caps);
	FIND(get_type);
	FIND(get_num_devices);
	FIND(init_device);
	FIND(fini_device);
	FIND(load_image);
	FIND(unload_image);
	FIND(alloc);
	FIND(free);
	FIND(dev2host);
	FIND(host2dev);
	FIND(dev2dev);
	FIND(run);
	FIND(async_run);
#undef FIND
}

int failed, cases;

void result(bool good, const char *name)
{
	printf("%s %d %s\n", good ? "ok" : "not ok", ++cases, name);
	failed += !good;
}

table_entry *table;

void identity()
{
	result(call.version() == 2 && !strcmp(call.get_name(), "nvptx") && call.get_caps() == 4 && call.get_type() == 5,
	       "it is the plug-in for nvptx of this version");
	const int all = call.get_num_devices(0);
	result(all > 0 && call.get_num_devices(0x10) == all && call.get_num_devices(0x210) == all &&
		       call.get_num_devices(0x20) == -1 && call.get_num_devices(0x80) == -1,
	       "devices have one address space with the host, and neither shared memory nor calls to the host");
	result(call.init_device(0), "a device is initialised");
}

void loading()
{
	uint64_t somewhere = 1, *calls_to_host = &somewhere, counter = 0;
	const int n = call.load_image(0, 0x20001, &data, &table, &calls_to_host);
	result(n == 3 && !calls_to_host, "an image has its function, its variable, and what libgomp tells it");
	if (n != 3)
		exit(1);
	result(table[0].end == table[0].start + 1 && table[1].end == table[1].start + 8 &&
		       table[2].end == table[2].start + 16,
	       "their sizes are right");
	result(call.dev2host(0, &counter, reinterpret_cast<void *>(table[1].start), 8) && counter == 41,
	       "a variable has its value");
	table_entry *none = nullptr;
	result(call.load_image(0, 2, &data, &none, nullptr) == -1 && strstr(last_error, "newer libhet"),
	       "an image of a later version is refused");
}

void memory()
{
	uint64_t out[4] = {1, 2, 3, 4}, in[4] = {};
	auto *a = static_cast<char *>(call.alloc(0, 64));
	result(a && call.host2dev(0, a, out, 32) && call.dev2dev(0, a + 32, a, 32) &&
		       call.dev2host(0, in, a + 32, 32) && !memcmp(in, out, 32) && call.host2dev(0, a, out, 0),
	       "bytes go to the device, along it, and home");
	int there;
	result(!call.dev2host(0, in, &there, 8), "what is no memory of the device's is refused");
	result(!call.alloc(0, size_t{1} << 50), "what is too much is refused");
	result(call.free(0, a), "memory is freed");
}

told launched(void **arguments, bool waits)
{
	told t = {};
	void *region = reinterpret_cast<void *>(table[0].start), *there = call.alloc(0, sizeof t);
	if (waits)
		call.run(0, region, there, arguments);
	else
		call.async_run(0, region, there, arguments, &t);
	for (int ms = 0; !waits && completed != &t && ms < 20000; ms++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	if (!call.dev2host(0, &t, there, sizeof t) || !call.free(0, there))
		t = {};
	return t;
}

void *word(intptr_t w)
{
	return reinterpret_cast<void *>(w);
}

bool is(const told &t, uint32_t teams, uint32_t threads)
{
	return t.teams == teams && t.threads == threads && t.lanes == 32 && t.stacks && t.stack_bytes == 128 << 10;
}

// The fake GPU has one processor with 65536 registers, and each thread of a kernel takes 64.
void geometry()
{
	void *nothing[] = {nullptr};
	result(is(launched(nothing, true), 4, 8), "who asks for nothing gets 8 threads, and what teams fit");
	void *small[] = {word(3 << 16 | 0x100), word(5 << 16 | 0x200), nullptr};
	result(is(launched(small, true), 3, 5), "who asks for little gets it");
	void *large[] = {word(1 << 7 | 0x100), word(1000000), word(1 << 7 | 0x200), word(100), nullptr};
	result(is(launched(large, true), 1, 32), "who asks for more gets what fits");
	void *other[] = {word(3 << 16 | 0x100 | 6), word(5 << 16 | 0x200 | 6), word(2 << 16 | 0x100), nullptr};
	result(is(launched(other, true), 2, 8), "what is asked of other kinds of devices does not count");
	result(is(launched(small, false), 3, 5) && completed, "who does not wait is told of the end");
}

} // namespace

int main(int argc, char **argv)
{
	void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : nullptr;
	if (!plugin) {
		printf("Bail out! %s\n", argc > 1 ? dlerror() : "name the plug-in");
		return 1;
	}
	printf("TAP version 14\n1..16\n");
	find_all(plugin);
	identity();
	loading();
	memory();
	geometry();
	result(call.unload_image(0, 0x20001, &data) && call.fini_device(0), "it ends");
	free(table);
	return failed != 0;
}
