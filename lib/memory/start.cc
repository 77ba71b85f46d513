// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/start.h"

#include "memory/failure.h"
#include "memory/fork.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/resolver.h"
#include "memory/send_ahead.h"
#include "memory/touch.h"
#include "memory/whole_chunk.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/memory_file.h"
#include "os/module_context.h"
#include "os/own_descriptor.h"
#include "os/settings.h"
#include "os/spare_mappings.h"
#include "os/thread.h"
#include "trap/spared_threads.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace het
{

namespace
{

struct trap_choice {
	int flag;
	const char *name;
	std::unique_ptr<trap> (*make)(const touch_sink &, const char **why);
	bool automatic;
	// It says why the trap should not be taken unless it is asked for; it is null if nothing speaks against it.
	const char *(*objection)() = nullptr;
};

constexpr trap_choice trap_choices[] = {
	{GPUVM_TRAP_KMOD, "kmod", make_kmod_trap, true, module_context::objection},
	{GPUVM_TRAP_UFFD, "uffd", make_uffd_trap, true},
	{GPUVM_TRAP_UFFD_SIGBUS, "uffd-sigbus", make_uffd_sigbus_trap, true},
	{GPUVM_TRAP_SIGSEGV, "sigsegv", make_sigsegv_trap, true},
	{GPUVM_TRAP_SIGSEGV_STOP, "sigsegv-stop", make_sigsegv_stop_trap, false},
};

char trap_reason[512];

// Returns why devices can't be read while all threads stand, those of their drivers apart that the program has named;
// null if they can. With @own they are those of gpuvm_init().
const char *objection_to_stopping(const library &l, bool own)
{
	if (!own)
		return "it stops the threads that run kernels and commands: it is the baseline of a benchmark of "
		       "gpuvm_init(), take another trap for <het.h>";
	for (unsigned i = 0; i < l.ndevs; i++) {
		if (!l.devices[i]->signal_safe() && !knows_drivers_threads())
			return "it stops all threads, and the driver's must go on: call gpuvm_pre_init() before and "
			       "after the "
			       "driver starts them, or take another trap, as this is the baseline of a benchmark";
	}
	return nullptr;
}

bool is_wanted(const trap_choice &c, int flag)
{
	if (flag)
		return c.flag == flag;
	if (settings().trap)
		return !strcmp(c.name, settings().trap);
	// That a machine has no module is nothing to tell of.
	return c.automatic && (c.flag != GPUVM_TRAP_KMOD || module_context::is_present());
}

// Says which trap was taken, why not a better one, and what is lost by it.
void explain(library &l, const char *refused)
{
	trap_features f = l.catcher->features();
	snprintf(trap_reason, sizeof(trap_reason), "%s%s%s%s%s", l.catcher->name(), refused[0] ? "; not " : "", refused,
		 f.kernel_touches ? "" : "; system calls on revoked arrays fail with EFAULT",
		 f.shared_reads ? "" : "; a host read makes the host the only owner (Linux 6.4 can share)");
	l.trap_reason = trap_reason;
	if (!f.kernel_touches || !f.shared_reads)
		warn("trap: %s", trap_reason);
	else
		inform("trap: %s", trap_reason);
}

int choose_trap(library &l, int flag, bool own_devices)
{
	static const touch_sink sink{touched_here};
	char refused[300] = "";
	for (const trap_choice &c : trap_choices) {
		if (!is_wanted(c, flag))
			continue;
		bool asked_for = flag || settings().trap;
		const char *why = c.objection && !asked_for ? c.objection() : nullptr;
		if (c.flag == GPUVM_TRAP_SIGSEGV_STOP)
			why = objection_to_stopping(l, own_devices);
		if (!why)
			l.catcher = c.make(sink, &why);
		if (l.catcher) {
			l.rules.share = l.catcher->features().shared_reads;
			explain(l, refused);
			return 0;
		}
		size_t used = strlen(refused);
		snprintf(refused + used, sizeof(refused) - used, "%s%s: %s", used ? ", " : "", c.name, why);
	}
	return fail(GPUVM_EPROT, "gpuvm_init: no such trap here (%s)", refused[0] ? refused : "unknown name");
}

// @arg is the program's list.
std::unique_ptr<device> make_device(const void *arg, unsigned i, unsigned lanes, int *err)
{
	const gpuvm_device &d = static_cast<const gpuvm_device *>(arg)[i];
	switch (d.api) {
	case GPUVM_HOST:
		return make_host_device(i, d.handle, lanes, err);
	case GPUVM_OPENCL:
		return make_opencl_device(i, d.handle, lanes, err);
	case GPUVM_CUDA:
		return make_cuda_device(i, d.handle, lanes, err);
	default:
		*err = fail(GPUVM_EARG, "gpuvm_init: device %u has an unknown API (%d)", i, d.api);
		return nullptr;
	}
}

int make_devices(library &l, unsigned n, device_maker make, const void *arg, unsigned lanes)
{
	int err = 0;
	for (unsigned i = 0; i < n && !err; i++)
		l.devices[i] = make(arg, i, lanes, &err);
	l.ndevs = err ? 0 : n;
	return err;
}

unsigned wanted_resolvers()
{
	unsigned n = settings().resolvers ? settings().resolvers : usable_cores();
	return std::clamp(n, 2u, 8u);
}

// It undoes what can be tried again after a failure.
void undo_init(library &l)
{
	for (auto &d : l.devices)
		d.reset();
	l.source = nullptr;
	l.catcher.reset();
	l.ndevs = 0;
}

sending_kind kind_of_sending(const library &l, bool wanted)
{
	if (l.strict || l.foresight == foresight_kind::off || l.catcher->features().unseen_writes)
		return sending_kind::off;
	return settings().sending.value_or(wanted ? sending_kind::learned : sending_kind::off);
}

int open_source(library &l)
{
	// It is never destroyed, like the library.
	alignas(memory_file) static char memory[sizeof(memory_file)];
	static memory_file &file = *new (memory) memory_file;
	l.source = l.catcher->source();
	if (!l.source) {
		if (int err = file.open())
			return err;
		l.source = &file;
	}
	l.space.open(*l.source);
	return 0;
}

// The parts that start once and stay. What an attempt that failed has started is there for the next one.
int open_parts(library &l, unsigned resolvers, unsigned spin_flag)
{
	if (!l.lanes) {
		l.lanes.emplace(resolvers, caller_lanes);
		open_whole_chunk();
	}
	static bool sends = false;
	if (l.sending != sending_kind::off && !sends)
		sends = start_sender(l);
	if (l.foresight != foresight_kind::off)
		l.events.open();
	// The devices' drivers are loaded, so what they do at exit comes after this. A call that met it would fail.
	atexit([] { lib().leaving.store(true); });
	bool all = sends || l.sending == sending_kind::off;
	if (!all || !start_attendant(l) || !start_resolvers(l, resolvers, spin_flag) || !keep_own_descriptors())
		return fail(GPUVM_ESALLOC, "gpuvm_init: threads can't be started (ulimit -u?)");
	open_fork();
	let_threads_begin();
	return 0;
}

} // namespace

bool is_started()
{
	return lib().ready.load();
}

int init_library(unsigned ndevs, const gpuvm_device *devs, int flags)
{
	return init_library(ndevs, make_device, devs, flags);
}

int init_library(unsigned ndevs, device_maker make, const void *arg, int flags)
{
	library &l = lib();
	structure_guard g(l);
	if (l.ready.load())
		return fail(GPUVM_ETWICE, "gpuvm_init: was called before");
	if (l.forked.load())
		return check_ready("gpuvm_init");
	static const unsigned resolvers = wanted_resolvers();
	int err = make_devices(l, ndevs, make, arg, resolvers + caller_lanes);
	if (!err)
		err = choose_trap(l, flags & GPUVM_TRAP_MASK, make == make_device);
	l.strict = (flags & GPUVM_STRICT) || settings().strict;
	l.sync_back = !(flags & GPUVM_UNLINK_NO_SYNC_BACK);
	l.timed = flags & GPUVM_STAT;
	// Where all threads are stopped for each touch, it is touches that are measured.
	bool never = err || (flags & GPUVM_NO_FORESIGHT) || l.catcher->features().stops_threads;
	l.foresight = never ? foresight_kind::off : settings().foresight;
	if (!err)
		l.sending = kind_of_sending(l, flags & GPUVM_SEND_AHEAD);
	if (!err)
		err = open_source(l);
	if (!err)
		err = open_parts(l, resolvers, flags & GPUVM_SPIN_MASK);
	if (err) {
		undo_init(l);
		return err;
	}
	keep_spare_mappings();
	l.ready.store(true, std::memory_order_release);
	return 0;
}

} // namespace het
