// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// z = x + y on the runtime's first device: through het_launch() on host arrays, and by hand with buffers and copies. Both times contain
// what the host writes and reads. The result is checked against the host's. Beside it: an empty kernel, launched and waited for.
#include "common/clock.h"
#include "common/cuda_kernels.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/plain_vectors.h"

#include <algorithm>
#include <cstdio>
#include <het.h>
#include <stdexcept>

using namespace bench;

namespace
{

struct options {
	common_options common;
	size_t elements = 11444777; // those of Thessaly's thesis
	unsigned rounds = 20, launches = 2000;
};

void het_check(int err, const char *call)
{
	if (err)
		throw std::runtime_error(format("%s: %s", call, het_strerror(err)));
}

// --- through the runtime -----------------------------------------------------------

class through_het
{
      public:
	through_het(het_device *device, size_t n) : n_(n), device_(device)
	{
		het_program_args p = {};
		p.size = sizeof p;
		const het_image image = {HET_IMAGE_PTX, 0, cuda_kernels_ptx, sizeof cuda_kernels_ptx - 1};
		p.source = vector_source;
		p.images = &image;
		p.nimages = 1;
		het_check(het_queue_create(nullptr, &queue_), "het_queue_create");
		het_check(het_program_create(&p, &program_), "het_program_create");
		het_check(het_kernel_create(program_, "add", &add_), "het_kernel_create");
		het_check(het_kernel_create(program_, "nothing", &nothing_), "het_kernel_create");
	}
	through_het(const through_het &) = delete;
	through_het &operator=(const through_het &) = delete;
	~through_het()
	{
		het_kernel_release(add_);
		het_kernel_release(nothing_);
		het_program_release(program_);
		het_queue_release(queue_);
	}

	void add(vectors &v)
	{
		uint64_t n = n_;
		const het_arg args[] = {
			{HET_ARG_RANGE, HET_READ_ONLY, n_ * sizeof(float), v.x.data(), nullptr, nullptr},
			{HET_ARG_RANGE, HET_READ_ONLY, n_ * sizeof(float), v.y.data(), nullptr, nullptr},
			{HET_ARG_RANGE, HET_WRITE_ONLY, n_ * sizeof(float), v.z.data(), nullptr, nullptr},
			{HET_ARG_VALUE, 0, sizeof(n), &n, nullptr, nullptr},
		};
		launch(add_, whole_groups(n_), args, std::size(args));
	}

	void do_nothing() { launch(nothing_, vector_group, nullptr, 0); }

      private:
	void launch(het_kernel *k, size_t items, const het_arg *args, size_t nargs)
	{
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = 1;
		l.global[0] = items;
		l.local[0] = vector_group;
		l.arg_size = sizeof(het_arg);
		l.nargs = nargs;
		l.args = args;
		l.device = device_;
		het_event *event;
		het_check(het_launch(queue_, &l, &event), "het_launch");
		het_check(het_event_wait(1, &event), "het_event_wait");
		het_event_release(event);
	}

	size_t n_;
	het_device *device_;
	het_queue *queue_;
	het_program *program_;
	het_kernel *add_, *nothing_;
};

// --- the comparison ------------------------------------------------------------------

template <class F> double time_of(F f)
{
	stopwatch watch;
	f();
	return watch.lap();
}

struct samples {
	std::vector<double> het, plain;
	void take(double h, double p)
	{
		het.push_back(h);
		plain.push_back(p);
	}
};

bool compare_adds(through_het &het, plain_vectors &plain, const options &o, samples &s)
{
	vectors mine(o.elements), theirs(o.elements);
	bool right = true;
	for (unsigned round = 0; round <= o.rounds; round++) {
		double h = time_of([&] {
			mine.write(round);
			het.add(mine);
			right &= mine.is_right();
		});
		double p = time_of([&] {
			theirs.write(round);
			plain.add(theirs);
			right &= theirs.is_right();
		});
		if (round) // the first compiles and links
			s.take(h, p);
	}
	return right;
}

void compare_launches(through_het &het, plain_vectors &plain, const options &o, samples &s)
{
	for (unsigned i = 0; i < o.launches + 50; i++) {
		double h = time_of([&] { het.do_nothing(); }), p = time_of([&] { plain.do_nothing(); });
		if (i >= 50)
			s.take(h, p);
	}
}

void tell(report &out, table &t, const char *name, const samples &s)
{
	const ratio r = paired_ratio(s.het, s.plain);
	const double more = median(s.het) - median(s.plain);
	t.row({name, format("%.1f", median(s.het)), format("%.1f", median(s.plain)), format("%+.1f", more),
	       format("%.3f (%.3f to %.3f)", r.median, r.low, r.high)});
	out.result(std::string(name) + "/het", "us", summarise(s.het));
	out.result(std::string(name) + "/plain", "us", summarise(s.plain));
	out.ratio_of(std::string(name) + "/het / plain", r);
}

int run(options o)
{
	if (o.common.quick) {
		o.rounds = std::min(o.rounds, 3u);
		o.launches = std::min(o.launches, 300u);
	}
	het_device *device;
	uint32_t count;
	het_check(het_devices(1, &device, &count), "het_devices");
	het_device_info info = {};
	info.size = sizeof info;
	het_check(het_device_describe(device, &info), "het_device_describe");
	const std::string name = info.name;
	if (info.kind == HET_DEVICE_HOST) {
		printf("no OpenCL device\n");
		return 0;
	}
	through_het het(device, o.elements);
	const auto plain =
		info.kind == HET_DEVICE_CUDA ? make_cuda_vectors(o.elements) : make_opencl_vectors(name, o.elements);
	report out("vectoradd", {{"elements", o.elements}, {"rounds", o.rounds}, {"launches", o.launches}});
	out.document()["device"] = name;

	samples adds, launches;
	const bool right = compare_adds(het, *plain, o, adds);
	compare_launches(het, *plain, o, launches);
	table t(format("%zu elements, local size %zu, on %s", o.elements, vector_group, name.c_str()),
		{"µs", "het", "by hand", "more", "het / by hand"});
	tell(out, t, "add", adds);
	tell(out, t, "nothing", launches);
	t.note(right ? "all sums equal the host's" : "WRONG: some sums differ from the host's");
	t.print();
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Vector addition through het_launch() on host arrays, against OpenCL by hand "
			  "(HET_DEVICES=cuda: CUDA).");
	add_common_options(line, o.common);
	line.number("--elements", o.elements, "of each vector");
	line.number("--rounds", o.rounds, "additions each way");
	line.number("--launches", o.launches, "empty kernels each way");
	return line.run(argc, argv, [&] { return run(o); });
}
