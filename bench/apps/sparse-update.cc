// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel adds to some rows of a table, and then the host reads all of it: with a plain kernel, and with one that
// notes which pages it writes (HET_DIRTY), in turns on tables of their own. This needs a device of kind CUDA. Every
// table is compared with the host's.
#include "common/clock.h"
#include "common/format.h"
#include "common/kernel_text.h"
#include "common/library.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <cstdio>
#include <cstring>
#include <het.h>
#include <span>
#include <stdexcept>

namespace bench
{
extern const kernel_text sparse_update_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 256, width = 256; // width is in floats

struct options {
	common_options common;
	size_t megabytes = 128; // size of each table
	unsigned rounds = 15;
};

void het_check(int err, const char *call)
{
	if (err)
		throw std::runtime_error(format("%s: %s", call, het_strerror(err)));
}

// Reads as fast as one thread can.
uint64_t read_all(std::span<const float> table)
{
	constexpr size_t at_once = 4, step = at_once * sizeof(uint64_t) / sizeof(float); // divides a row
	uint64_t sums[at_once] = {}, words[at_once];
	for (size_t i = 0; i < table.size(); i += step) {
		memcpy(words, &table[i], sizeof(words));
		for (size_t k = 0; k < at_once; k++)
			sums[k] += words[k];
	}
	return sums[0] + sums[1] + sums[2] + sums[3];
}

struct step {
	double us = 0;
	uint64_t to_host = 0, to_device = 0;
};

// A side has a table, and the kernel with some instruments.
class side
{
      public:
	side(het_device *device, size_t rows, uint32_t instruments) : device_(device)
	{
		const het_image image = {HET_IMAGE_PTX, 0, sparse_update_kernels.ptx,
					 strlen(sparse_update_kernels.ptx)};
		het_program_args p = {};
		p.size = sizeof p;
		p.images = &image;
		p.nimages = 1;
		p.instruments = instruments;
		het_check(het_queue_create(nullptr, &queue_), "het_queue_create");
		het_check(het_program_create(&p, &program_), "het_program_create");
		het_check(het_kernel_create(program_, "update", &kernel_), "het_kernel_create");
		het_check(het_memory_create(rows * width * sizeof(float), &memory_), "het_memory_create");
		table_ = {static_cast<float *>(het_memory_pointer(memory_)), rows * width};
	}
	side(const side &) = delete;
	side &operator=(const side &) = delete;
	~side()
	{
		het_memory_release(memory_);
		het_kernel_release(kernel_);
		het_program_release(program_);
		het_queue_release(queue_);
	}

	std::span<const float> table() const { return table_; }
	const het_launch_counters &counters() const { return counters_; }

	// Makes one update, after which the host reads all.
	step run(const std::vector<uint32_t> &rows, float value)
	{
		const uint64_t home = count_stat(GPUVM_STAT_BYTES_TO_HOST),
			       away = count_stat(GPUVM_STAT_BYTES_TO_DEVICE);
		stopwatch watch;
		launch(rows, value);
		sum_ = read_all(table_);
		return {watch.lap(), count_stat(GPUVM_STAT_BYTES_TO_HOST) - home,
			count_stat(GPUVM_STAT_BYTES_TO_DEVICE) - away};
	}

      private:
	void launch(const std::vector<uint32_t> &rows, float value)
	{
		const auto count = uint32_t(rows.size()), columns = uint32_t(width);
		const het_arg args[] = {
			{HET_ARG_MEMORY, HET_READ_WRITE, 0, nullptr, memory_, nullptr},
			{HET_ARG_RANGE, HET_READ_ONLY, count * sizeof(uint32_t), const_cast<uint32_t *>(rows.data()),
			 nullptr, nullptr},
			{HET_ARG_VALUE, 0, sizeof(count), const_cast<uint32_t *>(&count), nullptr, nullptr},
			{HET_ARG_VALUE, 0, sizeof(columns), const_cast<uint32_t *>(&columns), nullptr, nullptr},
			{HET_ARG_VALUE, 0, sizeof(value), &value, nullptr, nullptr},
		};
		het_launch_args l = {};
		l.size = sizeof l;
		l.kernel = kernel_;
		l.dimensions = 1;
		l.global[0] = (count * width + group - 1) / group * group;
		l.local[0] = group;
		l.arg_size = sizeof(het_arg);
		l.nargs = std::size(args);
		l.args = args;
		l.device = device_;
		het_event *event;
		het_check(het_launch(queue_, &l, &event), "het_launch");
		het_check(het_event_wait(1, &event), "het_event_wait");
		counters_.size = sizeof counters_;
		het_check(het_event_counters(event, &counters_), "het_event_counters");
		het_event_release(event);
	}

	het_device *device_;
	het_queue *queue_;
	het_program *program_;
	het_kernel *kernel_;
	het_memory *memory_;
	std::span<float> table_;
	het_launch_counters counters_ = {};
	volatile uint64_t sum_ = 0; // makes the compiler read
};

// A pattern tells which rows an update changes.
struct pattern {
	const char *name;
	std::vector<uint32_t> rows;
};

std::vector<pattern> patterns_for(size_t rows)
{
	std::vector<pattern> all = {
		{"one row", {uint32_t(rows / 2)}}, {"64 rows apart", {}}, {"a sixteenth", {}}, {"all", {}}};
	for (size_t i = 0; i < 64; i++)
		all[1].rows.push_back(uint32_t(i * rows / 64));
	for (size_t i = 0; i < rows; i++) {
		if (i / (rows / 16) == 7)
			all[2].rows.push_back(uint32_t(i));
		all[3].rows.push_back(uint32_t(i));
	}
	return all;
}

struct samples {
	std::vector<double> plain, dirty;
	step last_plain, last_dirty;
	bool right = true;
};

samples compare(side &plain, side &dirty, std::vector<float> &model, const pattern &p, unsigned rounds)
{
	samples s;
	for (unsigned round = 0; round <= rounds; round++) {
		auto value = float(round % 4);
		s.last_plain = plain.run(p.rows, value);
		s.last_dirty = dirty.run(p.rows, value);
		for (uint32_t r : p.rows)
			for (size_t i = 0; i < width; i++)
				model[r * width + i] += value;
		for (const side *one : {&plain, &dirty})
			s.right &= !memcmp(one->table().data(), model.data(), model.size() * sizeof(float));
		if (!round) // this round brings what the pattern before has left on the device alone
			continue;
		s.plain.push_back(s.last_plain.us);
		s.dirty.push_back(s.last_dirty.us);
	}
	return s;
}

void tell(report &out, table &t, const pattern &p, const samples &s, const het_launch_counters &c)
{
	auto mib = [](uint64_t bytes) { return format("%.2f", double(bytes) / (1 << 20)); };
	const ratio r = paired_ratio(s.dirty, s.plain);
	t.row({p.name, format("%.0f", median(s.plain)), format("%.0f", median(s.dirty)),
	       format("%.3f (%.3f to %.3f)", r.median, r.low, r.high), mib(s.last_plain.to_host),
	       mib(s.last_dirty.to_host), mib(c.bytes_kept)});
	const std::string name = p.name;
	out.result(name + "/plain", "us", summarise(s.plain), {{"bytes_to_host", s.last_plain.to_host}});
	out.result(name + "/dirty", "us", summarise(s.dirty),
		   {{"bytes_to_host", s.last_dirty.to_host},
		    {"bytes_kept", c.bytes_kept},
		    {"written_pages", c.written_pages},
		    {"writable_pages", c.writable_pages}});
	out.ratio_of(name + "/dirty / plain", r);
}

int run(options o)
{
	if (o.common.quick) {
		o.megabytes = std::min<size_t>(o.megabytes, 4);
		o.rounds = std::min(o.rounds, 3u);
	}
	het_device *device;
	uint32_t count;
	het_check(het_devices(1, &device, &count), "het_devices");
	het_device_info info = {};
	info.size = sizeof info;
	het_check(het_device_describe(device, &info), "het_device_describe");
	if (info.kind != HET_DEVICE_CUDA) {
		printf("the first device is no CUDA device: HET_DEVICES=cuda\n");
		return 0;
	}
	const std::string name = info.name;
	const size_t rows = (o.megabytes << 20) / (width * sizeof(float));
	side plain(device, rows, HET_PLAIN), dirty(device, rows, HET_DIRTY);
	std::vector<float> model(rows * width);
	report out("sparse-update", {{"megabytes", o.megabytes}, {"rounds", o.rounds}});
	out.document()["device"] = name;
	table t(format("rows of a table of %zu MiB, updated on %s and read on the host", o.megabytes, name.c_str()),
		{"rows", "plain, µs", "dirty, µs", "dirty / plain", "MiB home, plain", "dirty", "MiB kept"});
	bool right = true;
	for (const pattern &p : patterns_for(rows)) {
		const samples s = compare(plain, dirty, model, p, o.rounds);
		right &= s.right;
		tell(out, t, p, s, dirty.counters());
	}
	t.note(right ? "all tables equal the host's" : "WRONG: a table differs from the host's");
	t.print();
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line(
		"Updates of some rows of a table, all of which the host reads: what HET_DIRTY saves on a CUDA device.");
	add_common_options(line, o.common);
	line.number("--megabytes", o.megabytes, "of each table");
	line.number("--rounds", o.rounds, "updates each way");
	return line.run(argc, argv, [&] { return run(o); });
}
