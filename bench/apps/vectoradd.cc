// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// z = x + y on one OpenCL device: through het_launch() on host arrays, and by hand with buffers and copies. Both times contain
// what the host writes and reads. The result is checked against the host's. Beside it: an empty kernel, launched and waited for.
#include "common/clock.h"
#include "common/format.h"
#include "common/opencl.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <cstdio>
#include <het.h>
#include <stdexcept>

using namespace bench;

namespace
{

constexpr size_t group = 256;

const char source[] = R"(
kernel void add(global const float *x, global const float *y, global float *z, ulong n)
{
	size_t i = get_global_id(0);
	if (i < n)
		z[i] = x[i] + y[i];
}
kernel void nothing(void)
{
}
)";

struct options {
	common_options common;
	size_t elements = 11444777; // those of Thessaly's thesis
	unsigned rounds = 20, launches = 2000;
};

size_t rounded(size_t n)
{
	return (n + group - 1) / group * group;
}

void het_check(int err, const char *call)
{
	if (err)
		throw std::runtime_error(format("%s: %s", call, het_strerror(err)));
}

// Host data that differs from round to round, and what the sum must be.
struct vectors {
	explicit vectors(size_t n) : x(n), y(n), z(n) {}

	void write(unsigned round)
	{
		for (size_t i = 0; i < x.size(); i++) {
			x[i] = float((i + round) % 1000);
			y[i] = float(i % 77);
		}
	}
	// Reads all of z.
	bool is_right() const
	{
		bool right = true;
		for (size_t i = 0; i < z.size(); i++)
			right &= z[i] == x[i] + y[i];
		return right;
	}

	std::vector<float> x, y, z;
};

// --- by hand ---------------------------------------------------------------------

class by_hand
{
      public:
	by_hand(cl_device_id id, size_t n) : n_(n)
	{
		cl_int err;
		context_.reset(clCreateContext(nullptr, 1, &id, nullptr, nullptr, &err));
		cl_check(err, "clCreateContext");
		queue_.reset(clCreateCommandQueue(context_.get(), id, 0, &err));
		cl_check(err, "clCreateCommandQueue");
		program_ = build_cl_program(context_.get(), id, source, "");
		add_.reset(clCreateKernel(program_.get(), "add", &err));
		cl_check(err, "clCreateKernel");
		nothing_.reset(clCreateKernel(program_.get(), "nothing", &err));
		cl_check(err, "clCreateKernel");
		for (auto &b : buffers_) {
			b.reset(clCreateBuffer(context_.get(), CL_MEM_READ_WRITE, n * sizeof(float), nullptr, &err));
			cl_check(err, "clCreateBuffer");
		}
	}

	void add(vectors &v)
	{
		const size_t bytes = n_ * sizeof(float);
		const cl_ulong n = n_;
		cl_uint i = 0;
		for (auto &b : buffers_) {
			cl_mem m = b.get();
			cl_check(clSetKernelArg(add_.get(), i++, sizeof(cl_mem), &m), "clSetKernelArg");
		}
		cl_check(clSetKernelArg(add_.get(), i, sizeof(n), &n), "clSetKernelArg");
		write(0, v.x.data(), bytes);
		write(1, v.y.data(), bytes);
		launch(add_.get(), rounded(n_), group);
		cl_check(clEnqueueReadBuffer(queue_.get(), buffers_[2].get(), CL_TRUE, 0, bytes, v.z.data(), 0, nullptr,
					     nullptr),
			 "clEnqueueReadBuffer");
	}

	void do_nothing()
	{
		launch(nothing_.get(), group, group);
		cl_check(clFinish(queue_.get()), "clFinish");
	}

      private:
	using memory = cl_owner<cl_mem, &clReleaseMemObject>;

	void write(int i, const void *from, size_t bytes)
	{
		cl_check(clEnqueueWriteBuffer(queue_.get(), buffers_[i].get(), CL_TRUE, 0, bytes, from, 0, nullptr,
					      nullptr),
			 "clEnqueueWriteBuffer");
	}

	void launch(cl_kernel k, size_t items, size_t local)
	{
		cl_check(clEnqueueNDRangeKernel(queue_.get(), k, 1, nullptr, &items, &local, 0, nullptr, nullptr),
			 "clEnqueueNDRangeKernel");
	}

	size_t n_;
	cl_context_owner context_;
	cl_queue_owner queue_;
	cl_program_owner program_;
	cl_kernel_owner add_, nothing_;
	memory buffers_[3];
};

// --- through the runtime -----------------------------------------------------------

class through_het
{
      public:
	explicit through_het(size_t n) : n_(n)
	{
		het_program_args p = {};
		p.size = sizeof p;
		p.source = source;
		het_check(het_devices(1, &device_, &count_), "het_devices");
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

	std::string device_name() const
	{
		het_device_info info = {};
		info.size = sizeof info;
		het_check(het_device_describe(device_, &info), "het_device_describe");
		return info.name;
	}

	void add(vectors &v)
	{
		uint64_t n = n_;
		const het_arg args[] = {
			{HET_ARG_RANGE, HET_READ_ONLY, n_ * sizeof(float), v.x.data(), nullptr},
			{HET_ARG_RANGE, HET_READ_ONLY, n_ * sizeof(float), v.y.data(), nullptr},
			{HET_ARG_RANGE, HET_WRITE_ONLY, n_ * sizeof(float), v.z.data(), nullptr},
			{HET_ARG_VALUE, 0, sizeof(n), &n, nullptr},
		};
		launch(add_, rounded(n_), args, std::size(args));
	}

	void do_nothing() { launch(nothing_, group, nullptr, 0); }

      private:
	void launch(het_kernel *k, size_t items, const het_arg *args, size_t nargs)
	{
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = k;
		l.dimensions = 1;
		l.global[0] = items;
		l.local[0] = group;
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
	uint32_t count_;
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

bool compare_adds(through_het &het, by_hand &plain, const options &o, samples &s)
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

void compare_launches(through_het &het, by_hand &plain, const options &o, samples &s)
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
	const auto devices = list_cl_devices();
	if (devices.empty()) {
		printf("no OpenCL device\n");
		return 0;
	}
	through_het het(o.elements);
	const std::string name = het.device_name();
	auto same = std::find_if(devices.begin(), devices.end(), [&](auto &d) { return name.starts_with(d.name); });
	if (same == devices.end())
		throw std::runtime_error("the runtime's first device is no OpenCL device: " + name);
	by_hand plain(same->id, o.elements);
	report out("vectoradd", {{"elements", o.elements}, {"rounds", o.rounds}, {"launches", o.launches}});
	out.document()["device"] = name;

	samples adds, launches;
	const bool right = compare_adds(het, plain, o, adds);
	compare_launches(het, plain, o, launches);
	table t(format("%zu elements, local size %zu, on %s", o.elements, group, name.c_str()),
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
	command_line line("Vector addition through het_launch() on host arrays, against OpenCL by hand.");
	add_common_options(line, o.common);
	line.number("--elements", o.elements, "of each vector");
	line.number("--rounds", o.rounds, "additions each way");
	line.number("--launches", o.launches, "empty kernels each way");
	return line.run(argc, argv, [&] { return run(o); });
}
