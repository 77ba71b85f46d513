// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what it costs that the arrays of one launch are larger than the library may use of its device's memory: the
// launch runs as slices. All arrays are valid on the host alone at the start of each launch; the time is from the call
// to the end of the launch, on one device, with a budget that all arrays fit into and with smaller ones, in turns.
//
// With --steps it measures so many launches instead, each of which is waited for, on arrays that the host does not
// touch meanwhile: as the library does it, with all that is written going home each time, without what is kept between
// them, and with slices on demand (HET_EVICT). As this can't be changed while it runs, each measurement has a process
// of its own. What stays on the device comes home behind the time that is measured. With --queued the launches are
// queued at once, on arrays that are valid on the host alone: in slices mixed, one launch after the other, and on
// demand.
#include "common/clock.h"
#include "common/format.h"
#include "common/kernel_text.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <het.h>
#include <memory>
#include <span>
#include <stdexcept>
#include <unistd.h>

namespace bench
{
extern const kernel_text vectoradd_kernels, stencil_kernels, black_scholes_kernels;
} // namespace bench

using namespace bench;

namespace
{

struct options {
	common_options common;
	size_t megabytes = 4096; // of all arrays of a launch
	unsigned rounds = 7;
	unsigned steps = 0;
	bool queued = false; // all at once
	std::string only;    // part of the name of the problems that are measured
	unsigned style = 0;  // 1 + the number of the only one to measure, for the program that has asked for it
};

constexpr unsigned budgets[] = {100, 75, 50}; // in percent of the arrays

void het_check(int err, const char *call)
{
	if (err)
		throw std::runtime_error(format("%s: %s", call, het_strerror(err)));
}

// An array of the library's.
class floats
{
      public:
	explicit floats(size_t n)
	{
		het_check(het_memory_create(n * sizeof(float), &memory_), "het_memory_create");
		all_ = {static_cast<float *>(het_memory_pointer(memory_)), n};
	}
	floats(const floats &) = delete;
	floats &operator=(const floats &) = delete;
	~floats() { het_memory_release(memory_); }

	std::span<float> all() const { return all_; }
	het_memory *memory() const { return memory_; }
	// The host becomes the only one who has it.
	void take() const
	{
		constexpr size_t step = (64 << 10) / sizeof(float);
		for (size_t i = 0; i < all_.size(); i += step) {
			volatile float &f = all_[i];
			f = f + 0;
		}
	}

      private:
	het_memory *memory_ = nullptr;
	std::span<float> all_;
};

struct work {
	uint32_t dimensions;
	size_t global[2], local[2];
};

// A launch that passes over its arrays once.
struct problem {
	const char *name;
	const kernel_text *text;
	const char *kernel;
	size_t arrays, written; // the last ones are written
	work items;
	size_t row;         // floats that a work-item of the last dimension has of each array
	size_t rows_around; // rows before and behind that it reads
	std::vector<het_arg> values;
	std::function<float(std::span<const std::unique_ptr<floats>>, size_t array, size_t i)> expected;
};

het_arg value(const void *p, size_t n)
{
	return {HET_ARG_VALUE, 0, n, const_cast<void *>(p), nullptr, nullptr};
}

class runner
{
      public:
	runner(const problem &p, het_device *d) : p_(p), device_(d)
	{
		const size_t n = p.items.global[p.items.dimensions - 1] * p.row;
		for (size_t i = 0; i < p.arrays; i++)
			arrays_.push_back(std::make_unique<floats>(n));
		const size_t inputs = p.arrays - p.written;
		for (size_t a = 0; a < inputs; a++) {
			for (size_t i = 0; i < n; i++)
				arrays_[a]->all()[i] = 1 + float((i * (a + 3)) % 1021) / 100;
		}
		const het_image image = {HET_IMAGE_PTX, 0, p.text->ptx, strlen(p.text->ptx)};
		het_program_args a = {};
		a.size = sizeof a;
		a.source = p.text->opencl;
		a.images = &image;
		a.nimages = 1;
		het_check(het_queue_create(nullptr, &queue_), "het_queue_create");
		het_check(het_program_create(&a, &program_), "het_program_create");
		het_check(het_kernel_create(program_, p.kernel, &kernel_), "het_kernel_create");
	}
	runner(const runner &) = delete;
	runner &operator=(const runner &) = delete;
	~runner()
	{
		het_kernel_release(kernel_);
		het_program_release(program_);
		het_queue_release(queue_);
	}

	uint64_t nbytes() const { return arrays_.size() * arrays_[0]->all().size_bytes(); }

	// Returns how long it took, in milliseconds.
	double run(unsigned percent)
	{
		for (auto &a : arrays_)
			a->take();
		het_check(het_device_set_budget(device_, nbytes() / 100 * percent + (percent == 100 ? 64 << 20 : 0)),
			  "het_device_set_budget");
		const het_memory_info before = memory();
		stopwatch watch;
		launch();
		het_check(het_finish(queue_), "het_finish");
		const double ms = watch.lap() / 1000;
		const het_memory_info after = memory();
		slices_ = after.slices - before.slices;
		moved_ = double(after.sent + after.brought - before.sent - before.brought) / double(nbytes());
		if ((percent == 100) != (slices_ == 0))
			throw std::runtime_error(
				format("%s: %zu slices with a budget of %u %%", p_.name, size_t(slices_), percent));
		return ms;
	}
	// Returns how long so many launches take, each of which is waited for, from the second on: the first registers
	// memory and builds the kernel. A stencil turns from one array to the other.
	double run_steps(unsigned percent, unsigned steps)
	{
		het_check(het_device_set_budget(device_, nbytes() / 100 * percent + (percent == 100 ? 64 << 20 : 0)),
			  "het_device_set_budget");
		stopwatch watch;
		het_memory_info before = {};
		for (unsigned i = 0; i <= steps; i++) {
			if (i == 1) {
				before = memory();
				watch.lap();
			}
			launch();
			het_check(het_finish(queue_), "het_finish");
			if (p_.arrays == 2)
				std::swap(arrays_[0], arrays_[1]);
		}
		const double ms = watch.lap() / 1000;
		const het_memory_info after = memory();
		slices_ = (after.slices - before.slices) / steps;
		moved_ = double(after.sent + after.brought - before.sent - before.brought) / double(nbytes()) / steps;
		return ms / steps;
	}
	// Returns how long so many launches take that are queued at once. Two have registered memory and built kernels.
	double run_queued(unsigned percent, unsigned steps)
	{
		het_check(het_device_set_budget(device_, nbytes() / 100 * percent + (percent == 100 ? 64 << 20 : 0)),
			  "het_device_set_budget");
		queue_steps(2);
		for (auto &a : arrays_)
			a->take();
		const het_memory_info before = memory();
		stopwatch watch;
		queue_steps(steps);
		const double ms = watch.lap() / 1000;
		const het_memory_info after = memory();
		slices_ = (after.slices - before.slices) / steps;
		moved_ = double(after.sent + after.brought - before.sent - before.brought) / double(nbytes()) / steps;
		return ms / steps;
	}
	// Returns what tells results apart.
	double sum() const
	{
		double all = 0;
		for (const auto &a : arrays_) {
			for (size_t i = 0; i < a->all().size(); i += 4999)
				all += double(a->all()[i]) * double(1 + i % 7);
		}
		return all;
	}
	uint64_t slices() const { return slices_; }
	double moved() const { return moved_; }

	// Every so often a float is compared with what the host makes of the same.
	bool is_right() const
	{
		for (size_t a = p_.arrays - p_.written; a < p_.arrays; a++) {
			for (size_t i = 0; i < arrays_[a]->all().size(); i += 4999) {
				const float is = arrays_[a]->all()[i], should = p_.expected(arrays_, a, i);
				if (!(std::fabs(is - should) <= 1e-3f * (1 + std::fabs(should)))) {
					fprintf(stderr, "%s: float %zu of array %zu is %g, not %g\n", p_.name, i, a,
						double(is), double(should));
					return false;
				}
			}
		}
		return true;
	}

      private:
	het_memory_info memory() const
	{
		het_memory_info info = {};
		info.size = sizeof info;
		het_check(het_device_memory(device_, &info), "het_device_memory");
		return info;
	}
	void queue_steps(unsigned steps)
	{
		for (unsigned i = 0; i < steps; i++) {
			launch();
			if (p_.arrays == 2)
				std::swap(arrays_[0], arrays_[1]);
		}
		het_check(het_finish(queue_), "het_finish");
	}
	void launch()
	{
		const uint64_t bytes = p_.row * sizeof(float);
		const het_pattern own = {sizeof own, 0, bytes, bytes, 1, 0}, around = {sizeof around,
										       -int64_t(p_.rows_around * bytes),
										       bytes,
										       (1 + 2 * p_.rows_around) * bytes,
										       1,
										       0};
		std::vector<het_arg> args;
		for (size_t i = 0; i < p_.arrays; i++) {
			const bool writes = i >= p_.arrays - p_.written;
			args.push_back({HET_ARG_MEMORY, writes ? HET_WRITE_ONLY : HET_READ_ONLY, 0, nullptr,
					arrays_[i]->memory(), writes ? &own : &around});
		}
		args.insert(args.end(), p_.values.begin(), p_.values.end());
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel_;
		l.dimensions = p_.items.dimensions;
		for (unsigned d = 0; d < l.dimensions; d++) {
			l.global[d] = p_.items.global[d];
			l.local[d] = p_.items.local[d];
		}
		l.arg_size = sizeof(het_arg);
		l.nargs = args.size();
		l.args = args.data();
		l.device = device_;
		het_check(het_launch(queue_, &l, nullptr), "het_launch");
	}

	const problem &p_;
	het_device *const device_;
	std::vector<std::unique_ptr<floats>> arrays_;
	het_queue *queue_ = nullptr;
	het_program *program_ = nullptr;
	het_kernel *kernel_ = nullptr;
	uint64_t slices_ = 0;
	double moved_ = 0;
};

constexpr size_t group = 256, width = 32768; // a grid has at most 65535 rows of groups
constexpr float rate = 0.1f, interest = 0.02f, volatility = 0.3f;

using arrays = std::span<const std::unique_ptr<floats>>;

// The sizes are static, as arguments point to them.
problem addition(size_t nbytes)
{
	static uint64_t n;
	n = nbytes / 3 / sizeof(float) / group * group;
	return {"vector addition",
		&vectoradd_kernels,
		"add",
		3,
		1,
		{1, {n, 1}, {group, 1}},
		1,
		0,
		{value(&n, sizeof n)},
		[](arrays a, size_t, size_t i) { return a[0]->all()[i] + a[1]->all()[i]; }};
}

problem convolution(size_t nbytes)
{
	static uint32_t columns = width, height;
	height = uint32_t(nbytes / 2 / sizeof(float) / width);
	return {"2D convolution",
		&stencil_kernels,
		"relax",
		2,
		1,
		{2, {width, height}, {group, 1}},
		width,
		1,
		{value(&columns, sizeof columns), value(&height, sizeof height), value(&rate, sizeof rate)},
		[](arrays a, size_t, size_t i) {
			const std::span<const float> f = a[0]->all();
			const size_t x = i % width, y = i / width;
			if (!x || !y || x + 1 == width || y + 1 == f.size() / width)
				return f[i];
			return f[i] + rate * (f[i - 1] + f[i + 1] + f[i - width] + f[i + width] - 4 * f[i]);
		}};
}

float normal(float x)
{
	return 0.5f * std::erfc(-x * float(M_SQRT1_2));
}

problem prices(size_t nbytes)
{
	static uint32_t n;
	n = uint32_t(nbytes / 5 / sizeof(float) / group * group);
	return {"Black-Scholes",
		&black_scholes_kernels,
		"price",
		5,
		2,
		{1, {n, 1}, {group, 1}},
		1,
		0,
		{value(&n, sizeof n), value(&interest, sizeof interest), value(&volatility, sizeof volatility)},
		[](arrays a, size_t array, size_t i) {
			const float s = a[0]->all()[i], k = a[1]->all()[i], t = a[2]->all()[i];
			const float spread = volatility * std::sqrt(t);
			const float d1 = (std::log(s / k) + (interest + 0.5f * volatility * volatility) * t) / spread;
			const float d2 = d1 - spread, later = k * std::exp(-interest * t);
			return array == 3 ? s * normal(d1) - later * normal(d2) : later * normal(-d2) - s * normal(-d1);
		}};
}

// Returns the first device with memory of its own.
het_device *find_device(std::string &name)
{
	het_device *all[31];
	uint32_t n = 0;
	het_check(het_devices(31, all, &n), "het_devices");
	for (uint32_t i = 0; i < n; i++) {
		het_device_info info = {};
		info.size = sizeof info;
		het_check(het_device_describe(all[i], &info), "het_device_describe");
		name = info.name;
		if (info.kind == HET_DEVICE_CUDA || info.kind == HET_DEVICE_OPENCL)
			return all[i];
	}
	throw std::runtime_error("no device of kind CUDA or OpenCL: set HET_DEVICES");
}

// The first round, in which host memory is registered and kernels are built, does not count.
bool measure(const problem &p, het_device *d, unsigned rounds, report &out, table &shown)
{
	runner r(p, d);
	std::vector<series> times(std::size(budgets));
	std::vector<double> slices(std::size(budgets)), moved(std::size(budgets));
	bool right = true;
	for (unsigned round = 0; round <= rounds; round++) {
		for (size_t k = 0; k < std::size(budgets); k++) {
			const size_t b = (k + round) % std::size(budgets);
			const double ms = r.run(budgets[b]);
			slices[b] = double(r.slices());
			moved[b] = r.moved();
			if (round)
				times[b].push_back(ms);
			else
				right = right && r.is_right();
		}
	}
	for (size_t b = 0; b < std::size(budgets); b++) {
		const std::string name = format("%s/%u%%", p.name, budgets[b]);
		const ratio of_no_limit = paired_ratio(times[b], times[0]);
		out.result(name, "ms", summarise(times[b]), {{"slices", slices[b]}, {"moved", moved[b]}});
		if (b)
			out.ratio_of(name + "/no limit", of_no_limit);
		shown.row({p.name, format("%u %%", budgets[b]), format("%.1f", median(times[b])),
			   b ? format("%.0f", slices[b]) : "-", b ? format("%.3f", moved[b]) : "-",
			   b ? format("%.3f (%.3f to %.3f)", of_no_limit.median, of_no_limit.low, of_no_limit.high)
			     : "-"});
	}
	return right;
}

// --- launches one after the other ----------------------------------------------

struct style {
	const char *name, *evict;
	unsigned percent;
};
constexpr style styles[] = {{"no limit", "keep", 100},
			    {"kept, 75 %", "keep", 75},
			    {"written through, 75 %", "through", 75},
			    {"not kept, 75 %", "stream", 75},
			    {"on demand, 75 %", "demand", 75},
			    {"kept, 50 %", "keep", 50},
			    {"written through, 50 %", "through", 50},
			    {"not kept, 50 %", "stream", 50},
			    {"on demand, 50 %", "demand", 50}};
// These are queued at once.
constexpr style queued_styles[] = {{"no limit", "keep", 100},        {"mixed, 75 %", "keep,mix", 75},
				   {"one by one, 75 %", "keep", 75}, {"on demand, 75 %", "demand", 75},
				   {"mixed, 50 %", "keep,mix", 50},  {"one by one, 50 %", "keep", 50},
				   {"on demand, 50 %", "demand", 50}};

std::span<const style> styles_of(const options &o)
{
	return o.queued ? std::span<const style>(queued_styles) : std::span<const style>(styles);
}

// Returns the number of the style that another is compared with.
size_t demand_of(const options &o, const style &other)
{
	const std::span<const style> all = styles_of(o);
	const unsigned percent = other.percent == 75 ? 75 : 50;
	size_t i = 0;
	while (strcmp(all[i].evict, "demand") != 0 || all[i].percent != percent)
		i++;
	return i;
}

struct steps_taken {
	double ms, slices, moved, sum;
};

steps_taken take_steps(const problem &p, const style &s, const options &o)
{
	std::string name;
	runner r(p, find_device(name));
	steps_taken t = {};
	t.ms = o.queued ? r.run_queued(s.percent, o.steps) : r.run_steps(s.percent, o.steps);
	t.slices = double(r.slices());
	t.moved = r.moved();
	t.sum = r.sum();
	return t;
}

// A program of its own does it: the library reads its settings once.
steps_taken take_steps_in_child(const problem &p, size_t number, const options &o)
{
	setenv("HET_EVICT", styles_of(o)[number].evict, 1);
	const std::string command =
		format("/proc/%d/exe --steps %u%s --megabytes %zu --only '%s' --style %zu", getpid(), o.steps,
		       o.queued ? " --queued" : "", o.megabytes, p.name, number + 1);
	FILE *answer = popen(command.c_str(), "r");
	steps_taken t = {};
	const bool told = answer && fscanf(answer, "%lf %lf %lf %lf", &t.ms, &t.slices, &t.moved, &t.sum) == 4;
	if (answer)
		pclose(answer);
	if (!told)
		throw std::runtime_error(format("%s, %s: no answer", p.name, styles_of(o)[number].name));
	return t;
}

bool measure_steps(const problem &p, const options &o, report &out, table &shown)
{
	const std::span<const style> styles = styles_of(o);
	std::vector<series> times(styles.size());
	std::vector<steps_taken> last(styles.size());
	bool right = true;
	for (unsigned round = 0; round < o.rounds; round++) {
		for (size_t k = 0; k < styles.size(); k++) {
			const size_t i = (k + round) % styles.size();
			last[i] = take_steps_in_child(p, i, o);
			times[i].push_back(last[i].ms);
		}
		for (const steps_taken &t : last)
			right = right && t.sum == last[0].sum;
	}
	for (size_t i = 0; i < styles.size(); i++) {
		const ratio of_demand = paired_ratio(times[demand_of(o, styles[i])], times[i]);
		const ratio of_no_limit = paired_ratio(times[0], times[i]);
		const std::string name =
			format("%s, %u %ssteps/%s", p.name, o.steps, o.queued ? "queued " : "", styles[i].name);
		out.result(name, "ms a step", summarise(times[i]),
			   {{"slices", last[i].slices}, {"moved", last[i].moved}});
		out.ratio_of(name + ": demand/this", of_demand);
		out.ratio_of(name + ": no limit/this", of_no_limit);
		shown.row({p.name, styles[i].name, format("%.1f", median(times[i])), format("%.0f", last[i].slices),
			   format("%.3f", last[i].moved),
			   format("%.3f (%.3f to %.3f)", of_demand.median, of_demand.low, of_demand.high),
			   format("%.3f (%.3f to %.3f)", of_no_limit.median, of_no_limit.low, of_no_limit.high)});
	}
	return right;
}

int run_steps(const options &o)
{
	report out("oversubscription-steps", {{"megabytes", o.megabytes}, {"rounds", o.rounds}, {"steps", o.steps}});
	const size_t nbytes = o.megabytes << 20;
	bool right = true;
	for (const problem &p : {convolution(nbytes), addition(nbytes)}) {
		if (!strstr(p.name, o.only.c_str()))
			continue;
		if (o.style) {
			const steps_taken t = take_steps(p, styles_of(o)[o.style - 1], o);
			printf("%.17g %.17g %.17g %.17g\n", t.ms, t.slices, t.moved, t.sum);
			return 0;
		}
		table shown(format(o.queued ? "%u launches of %zu MiB, queued at once"
					    : "%u launches of %zu MiB, one after the other, the first not counted",
				   o.steps, o.megabytes),
			    {"kernel", "memory", "ms a step", "slices", "moved / arrays", "on demand / this",
			     "no limit / this"});
		shown.left_columns(2);
		right = measure_steps(p, o, out, shown) && right;
		shown.print();
		fflush(stdout);
		out.write(o.common.json);
	}
	if (!right)
		fprintf(stderr, "results differ\n");
	return !right;
}

int run(options o)
{
	if (o.common.quick) {
		o.megabytes = std::min<size_t>(o.megabytes, 64);
		o.rounds = std::min(o.rounds, 2u);
	}
	if (o.steps)
		return run_steps(o);
	std::string name;
	het_device *d = find_device(name);
	const size_t nbytes = o.megabytes << 20;
	report out("oversubscription", {{"megabytes", o.megabytes}, {"rounds", o.rounds}, {"device", name}});
	bool right = true;
	for (const problem &p : {addition(nbytes), convolution(nbytes), prices(nbytes)}) {
		table shown(
			format("Launches of %zu MiB on %s, valid on the host alone before", o.megabytes, name.c_str()),
			{"kernel", "budget", "ms", "slices", "moved / arrays", "/ no limit"});
		shown.left_columns(2);
		try {
			right = measure(p, d, o.rounds, out, shown) && right;
		} catch (const std::exception &e) {
			out.note(format("%s: %s", p.name, e.what()));
			shown.note(format("%s: %s", p.name, e.what()));
			right = false;
		}
		shown.print();
		fflush(stdout);
		out.write(o.common.json); // what there is, should the rest take too long
	}
	return !right;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Launches whose arrays are larger than the memory that the library may use of a device.");
	add_common_options(line, o.common);
	line.number("--megabytes", o.megabytes, "size of all arrays of a launch together");
	line.number("--rounds", o.rounds, "of each budget");
	line.number("--steps", o.steps, "launches, each of which is waited for, instead of one at a time");
	line.flag("--queued", o.queued, "with --steps: all launches are queued at once");
	line.number("--style", o.style, "what the program calls itself with");
	line.text("--only", o.only, "with --steps: part of a kernel's name");
	return line.run(argc, argv, [&] { return run(o); });
}
