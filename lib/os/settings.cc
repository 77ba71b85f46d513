// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/settings.h"

#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

namespace het
{

namespace
{

// Reads digits with an optional suffix K, M or G (powers of 1024). Returns @otherwise if the variable is unset,
// malformed or more than @most.
int64_t number(const char *name, int64_t otherwise, int64_t most = INT64_MAX)
{
	constexpr const char *suffixes = "KMG";
	const char *text = getenv(name);
	if (!text)
		return otherwise;
	const char *end = text + strlen(text);
	uint64_t value = 0;
	auto [at, error] = std::from_chars(text, end, value);
	unsigned shift = 0;
	if (const char *s = at < end ? strchr(suffixes, *at) : nullptr) {
		shift = 10 * unsigned(s - suffixes + 1);
		at++;
	}
	bool well_formed = error == std::errc() && at == end;
	return well_formed && value <= uint64_t(most) >> shift ? int64_t(value << shift) : otherwise;
}

// Returns 0 if the variable is unset or malformed.
int64_t signed_number(const char *name)
{
	const char *text = getenv(name);
	int64_t value = 0;
	const char *end = text ? text + strlen(text) : nullptr;
	auto [at, error] = std::from_chars(text, end, value);
	return text && error == std::errc() && at == end ? value : 0;
}

// Launchers of Open MPI, MVAPICH, MPICH and Intel, Flux, Cray, and Slurm's srun, which others are started under.
int64_t local_rank()
{
	for (const char *name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
				 "FLUX_TASK_LOCAL_ID", "PALS_LOCAL_RANKID", "SLURM_LOCALID"}) {
		int64_t rank = number(name, -1);
		if (rank >= 0)
			return rank;
	}
	return -1;
}

const char *text(const char *name)
{
	const char *value = getenv(name);
	return value && *value ? value : nullptr;
}

// Kinds that tests ask for have names; all others are numbers.
template <typename Kind> struct named_kind {
	const char *name;
	Kind kind;
};

template <typename Kind, size_t n>
Kind read_kind(const char *variable, const named_kind<Kind> (&for_tests)[n], int64_t otherwise, Kind on)
{
	const char *value = text(variable);
	for (auto &[name, kind] : for_tests) {
		if (value && !strcmp(value, name))
			return kind;
	}
	return number(variable, otherwise) ? on : Kind::off;
}

foresight_kind read_foresight()
{
	constexpr named_kind<foresight_kind> for_tests[] = {{"eager", foresight_kind::eager},
							    {"always", foresight_kind::always},
							    {"random", foresight_kind::random}};
	return read_kind("GPUVM_FORESIGHT", for_tests, 1, foresight_kind::learned);
}

std::optional<sending_kind> read_sending()
{
	constexpr const char *variable = "GPUVM_SEND_AHEAD";
	constexpr named_kind<sending_kind> for_tests[] = {
		{"eager", sending_kind::eager}, {"always", sending_kind::always}, {"random", sending_kind::random}};
	if (!text(variable))
		return {};
	return read_kind(variable, for_tests, 0, sending_kind::learned);
}

environment read_environment()
{
	const char *features = text("GPUVM_UFFD_FEATURES");
	return {
		.quiet = number("GPUVM_QUIET", 0) != 0,
		.verbose = number("GPUVM_VERBOSE", 0) != 0,
		.fork_copy = number("GPUVM_FORK_COPY", 1) != 0,
		.strict = number("GPUVM_STRICT", 0) != 0,
		.kernel_6_1 = features && !strcmp(features, "6.1"),
		.trap = text("GPUVM_TRAP"),
		.uffd_open = text("GPUVM_UFFD_OPEN"),
		.spin_us = number("GPUVM_SPIN_US", -1, INT64_MAX / 1000),
		.resolvers = unsigned(number("GPUVM_RESOLVERS", 0, UINT_MAX)),
		.chunk = size_t(number("GPUVM_CHUNK", 0)),
		.read_ahead = size_t(number("GPUVM_READ_AHEAD", 8 << 20, int64_t{1} << 40)),
		.foresight = read_foresight(),
		.sending = read_sending(),
		.mmap_threshold = size_t(number("GPUVM_MMAP_THRESHOLD", 128 << 10, INT_MAX)),
		.watchdog_s = unsigned(number("GPUVM_WATCHDOG", 10, UINT_MAX)),
		.devices = text("HET_DEVICES"),
		.local_rank = local_rank(),
		.memory = text("HET_DEVICE_MEMORY"),
		.evict = text("HET_EVICT"),
		.pipeline = number("HET_PIPELINE", 1) != 0,
		.policy = text("HET_POLICY"),
		.paths = text("HET_PATHS"),
		.priority = signed_number("HET_PRIORITY"),
		.urgency = text("HET_URGENCY"),
		.preempt = text("HET_PREEMPT"),
		.preempt_patience_ms = unsigned(number("HET_PREEMPT_PATIENCE", 100, UINT_MAX)),
		.instrument = text("HET_INSTRUMENT"),
		.touch_after_wait = number("HET_TOUCH_AFTER_WAIT", 0) != 0,
		.exit_wait_s = unsigned(number("HET_EXIT_WAIT", 5, UINT_MAX)),
		.cache_size = uint64_t(number("HET_CACHE_SIZE", 256 << 20)),
		.cache_home = secure_getenv("XDG_CACHE_HOME"),
		.home = secure_getenv("HOME"),
		.opencl_svm = number("HET_OPENCL_SVM", 1) != 0,
		.opencl_times = number("HET_OPENCL_TIMES", 0) != 0,
		.opencl_vendors = secure_getenv("HET_OPENCL_VENDORS"),
	};
}

} // namespace

const environment &settings()
{
	static const environment e = read_environment();
	return e;
}

} // namespace het
