// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "options.h"

#include "machine.h"
#include "test.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <getopt.h>
#include <unistd.h>

namespace selftest
{

namespace
{
const char usage[] = R"(usage: %s [options]
  --list              names of the cases
  --filter=TEXT       only cases whose name contains TEXT
  --trap=A,B          only these traps       (HET_TEST_TRAPS)
  --device=A,B        only these devices     (HET_TEST_DEVICES)
  --kind=A,B          only these memory kinds (HET_TEST_KINDS)
  --require-trap=A,B  to skip one is a failure (HET_TEST_REQUIRE_TRAPS)
  --require-device=A,B                         (HET_TEST_REQUIRE_DEVICES)
  --repeat=N          run each case N times, with seeds SEED, SEED+1, ...
  --seed=N            seed of random tests   (HET_TEST_SEED)
  --jobs=N            cases at the same time (HET_TEST_JOBS)
  --full              the thorough run       (HET_TEST_FULL=1)
  --case=NAME         run this case here, without a child process (for a debugger)
  --verbose           show how long cases took, and what passed ones wrote
HET_TEST_PATIENCE=X multiplies time limits. Devices with CUDA are left out where there is no driver, opencl-unlike
always, unless they are named. Exit status: 0 passed, 1 failed, 4 everything was skipped.
)";

const char *environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);
	return value && *value ? value : otherwise;
}

uint32_t bits_from(const char *name, const std::vector<axis_value> &axis, uint32_t otherwise)
{
	const char *value = environment(name, nullptr);
	return value ? bits_of(axis, value) : otherwise;
}

// Without a driver each of them would only be skipped.
uint32_t usual_devices()
{
	return ~uint32_t(device::opencl_unlike | (has_cuda() ? 0 : device::with_cuda));
}

options defaults()
{
	options o;
	o.traps = bits_from("HET_TEST_TRAPS", trap_values(), ~0u);
	o.devices = bits_from("HET_TEST_DEVICES", device_values(), usual_devices());
	o.kinds = bits_from("HET_TEST_KINDS", kind_values(), ~0u);
	o.required_traps = bits_from("HET_TEST_REQUIRE_TRAPS", trap_values(), 0);
	o.required_devices = bits_from("HET_TEST_REQUIRE_DEVICES", device_values(), 0);
	timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	const char *seed = environment("HET_TEST_SEED", nullptr);
	o.seed = seed ? strtoull(seed, nullptr, 0) : (uint64_t(now.tv_sec) * 1000003 + now.tv_nsec) % 1000000000;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const char *jobs = environment("HET_TEST_JOBS", nullptr);
	o.jobs = jobs ? atoi(jobs) : cpus > 4 ? 4 : cpus;
	o.full = *environment("HET_TEST_FULL", "0") != '0';
	o.verbose = *environment("HET_TEST_VERBOSE", "0") != '0';
	o.patience = atof(environment("HET_TEST_PATIENCE", "1")) * (with_tsan ? 6 : with_asan ? 3 : 1);
	return o;
}

enum option_id {
	LIST,
	FILTER,
	TRAP,
	DEVICE,
	KIND,
	REQUIRE_TRAP,
	REQUIRE_DEVICE,
	REPEAT,
	SEED,
	JOBS,
	FULL,
	CASE,
	VERBOSE,
	HELP
};

void apply(options &o, int id, const char *value, const char *program)
{
	switch (id) {
	case LIST:
		o.list = true;
		break;
	case FILTER:
		o.filter = value;
		break;
	case TRAP:
		o.traps = bits_of(trap_values(), value);
		break;
	case DEVICE:
		o.devices = bits_of(device_values(), value);
		break;
	case KIND:
		o.kinds = bits_of(kind_values(), value);
		break;
	case REQUIRE_TRAP:
		o.required_traps = bits_of(trap_values(), value);
		break;
	case REQUIRE_DEVICE:
		o.required_devices = bits_of(device_values(), value);
		break;
	case REPEAT:
		o.repeat = atoi(value);
		break;
	case SEED:
		o.seed = strtoull(value, nullptr, 0);
		break;
	case JOBS:
		o.jobs = atoi(value);
		break;
	case FULL:
		o.full = true;
		break;
	case CASE:
		o.case_to_run = value;
		break;
	case VERBOSE:
		o.verbose = true;
		break;
	default:
		fprintf(id == HELP ? stdout : stderr, usage, program);
		exit(id == HELP ? 0 : 2);
	}
}
} // namespace

options parse_options(int argc, char **argv)
{
	static const option table[] = {
		{"list", no_argument, nullptr, LIST},
		{"filter", required_argument, nullptr, FILTER},
		{"trap", required_argument, nullptr, TRAP},
		{"device", required_argument, nullptr, DEVICE},
		{"kind", required_argument, nullptr, KIND},
		{"require-trap", required_argument, nullptr, REQUIRE_TRAP},
		{"require-device", required_argument, nullptr, REQUIRE_DEVICE},
		{"repeat", required_argument, nullptr, REPEAT},
		{"seed", required_argument, nullptr, SEED},
		{"jobs", required_argument, nullptr, JOBS},
		{"full", no_argument, nullptr, FULL},
		{"case", required_argument, nullptr, CASE},
		{"verbose", no_argument, nullptr, VERBOSE},
		{"help", no_argument, nullptr, HELP},
		{nullptr, 0, nullptr, 0},
	};
	options o = defaults();
	for (int id; (id = getopt_long(argc, argv, "", table, nullptr)) != -1;)
		apply(o, id, optarg, argv[0]);
	// What does not depend on an axis runs whatever was chosen there.
	o.traps |= trap::none | trap::best;
	o.devices |= device::none;
	o.kinds |= kind::none;
	if (o.jobs < 1)
		o.jobs = 1;
	return o;
}

} // namespace selftest
