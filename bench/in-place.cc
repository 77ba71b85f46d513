// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures launches that neither fit into what the library may use of a device's memory nor run there as slices, so
// that they work on host memory in place but for what has a copy on the device. Three launches follow each other over
// the same arrays, which are valid on the host alone before the first; each is waited for. The same goes with budgets
// that all fits into, that a part fits into, and that hardly anything fits into, in turns.
#include "common/clock.h"
#include "common/format.h"
#include "common/kernel_text.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <het.hpp>
#include <stdexcept>

namespace bench
{
extern const kernel_text in_place_kernels;
} // namespace bench

using namespace bench;

namespace
{

struct options {
	common_options common;
	size_t megabytes = 2048; // of the array that is looked up in
	unsigned rounds = 5;
	std::vector<std::string> problems;
};

constexpr unsigned budgets[] = {100, 75, 50, 2}; // in percent of the arrays
constexpr size_t nbudgets = std::size(budgets), in_place = nbudgets - 1;
constexpr unsigned launches = 3;
constexpr size_t group = 256;

// The host becomes the only one who has it.
void take(const het::memory &m, size_t nbytes)
{
	for (size_t at = 0; at < nbytes; at += 64 << 10) {
		volatile char &c = m.as<char>()[at];
		c = char(c + 0);
	}
}

class problem
{
      public:
	problem(const char *name, size_t table_bytes, size_t result_bytes)
	    : name_(name), table_bytes_(table_bytes), result_bytes_(result_bytes), table_(table_bytes),
	      result_(result_bytes)
	{
	}
	virtual ~problem() = default;
	problem(const problem &) = delete;
	problem &operator=(const problem &) = delete;

	const char *name() const { return name_; }
	virtual void launch(const het::queue &q, const het::program &p, het::device d) const = 0;
	virtual bool is_right() const = 0;
	uint64_t nbytes() const { return table_bytes_ + result_bytes_; }
	virtual void take_home() const
	{
		take(table_, table_bytes_);
		take(result_, result_bytes_);
	}

      private:
	const char *const name_;
	const size_t table_bytes_, result_bytes_;

      protected:
	const het::memory table_, result_;
};

uint64_t high_half(uint64_t a, uint64_t b)
{
	return uint64_t(static_cast<unsigned __int128>(a) * b >> 64);
}

class probes final : public problem
{
      public:
	// All items look up that many places together.
	probes(const char *name, size_t nbytes, size_t all, uint32_t power)
	    : problem(name, nbytes, all / each * sizeof(uint64_t)), places_(nbytes / sizeof(uint64_t)),
	      items_(all / each), power_(power)
	{
		for (uint64_t i = 0; i < places_; i++)
			table_.as<uint64_t>()[i] = i * 3;
	}
	void launch(const het::queue &q, const het::program &p, het::device d) const override
	{
		q.launch(het::kernel(p, "probe"), het::work(items_).groups_of(group).on(d), het::read(table_),
			 het::write(result_).each(sizeof(uint64_t)), places_, each, power_)
			.wait();
	}
	bool is_right() const override
	{
		for (uint64_t i = 0; i < items_; i += 997) {
			if (result_.as<uint64_t>()[i] != expected(i))
				return false;
		}
		return true;
	}

      private:
	static constexpr uint32_t each = 16;

	uint64_t expected(uint64_t i) const
	{
		uint64_t sum = 0;
		for (uint32_t k = 0; k < each; k++) {
			uint64_t h = (i * each + k + 1) * 0x9E3779B97F4A7C15U;
			h = (h ^ h >> 32) * 0xD6E8FEB86659FD93U;
			h ^= h >> 32;
			uint64_t at = h;
			for (uint32_t p = 1; p < power_; p++)
				at = high_half(at, h);
			sum += 3 * high_half(at, places_);
		}
		return sum;
	}

	const uint64_t places_;
	const size_t items_;
	const uint32_t power_;
};

// The second kernel of ATAX: the product of a transposed matrix and a vector.
class columns final : public problem
{
      public:
	explicit columns(size_t nbytes)
	    : problem("columns", width * sizeof(float) * (nbytes / width / sizeof(float)), width * sizeof(float)),
	      height_(uint32_t(nbytes / width / sizeof(float))), x_(height_ * sizeof(float))
	{
		for (size_t i = 0; i < height_ * width; i++)
			table_.as<float>()[i] = float((i / width + i % width) % 8);
		for (size_t i = 0; i < height_; i++)
			x_.as<float>()[i] = float(i % 2);
	}
	void launch(const het::queue &q, const het::program &p, het::device d) const override
	{
		q.launch(het::kernel(p, "columns"), het::work(width).groups_of(group).on(d), het::read(table_),
			 het::read(x_), het::write(result_).each(sizeof(float)), height_)
			.wait();
	}
	// No sum is so large that it would be rounded.
	bool is_right() const override
	{
		for (size_t c = 0; c < width; c += 97) {
			float sum = 0;
			for (size_t r = 0; r < height_; r++)
				sum += float((r + c) % 8) * float(r % 2);
			if (result_.as<float>()[c] != sum)
				return false;
		}
		return true;
	}
	void take_home() const override
	{
		problem::take_home();
		take(x_, height_ * sizeof(float));
	}

      private:
	static constexpr size_t width = 16384;

	const uint32_t height_;
	const het::memory x_;
};

// What a budget's launches have shown.
struct seen {
	series first, later; // milliseconds of the first, and the mean of the others
	double moved[2] = {}, accesses[2] = {};
};

class runner
{
      public:
	runner(het::device d) : device_(d)
	{
		const het_image image = {HET_IMAGE_PTX, 0, in_place_kernels.ptx, strlen(in_place_kernels.ptx)};
		program_ = het::program(het::sources().images(std::array{image}));
	}

	// The first round, in which host memory is registered and kernels are built, does not count.
	std::vector<seen> run(const problem &p, unsigned rounds)
	{
		std::vector<seen> all(nbudgets);
		for (unsigned round = 0; round <= rounds; round++) {
			for (size_t k = 0; k < nbudgets; k++) {
				const size_t b = (k + round) % nbudgets;
				run_once(p, budgets[b], round > 0, all[b]);
			}
		}
		return all;
	}

      private:
	void run_once(const problem &p, unsigned percent, bool counts, seen &into)
	{
		p.take_home();
		device_.set_budget(p.nbytes() / 100 * percent + (percent == 100 ? 256 << 20 : 0));
		double ms[launches] = {};
		for (unsigned i = 0; i < launches; i++) {
			const het_memory_info before = device_.memory();
			stopwatch watch;
			p.launch(queue_, program_, device_);
			ms[i] = watch.lap() / 1000;
			const het_memory_info after = device_.memory();
			if ((percent != 100) != (after.in_place > before.in_place))
				throw std::runtime_error(format("with a budget of %u %% it runs otherwise", percent));
			into.moved[i > 0] =
				double(after.sent + after.brought - before.sent - before.brought) / double(p.nbytes());
			into.accesses[i > 0] = double(after.accesses_in_place - before.accesses_in_place);
		}
		if (!p.is_right())
			throw std::runtime_error(format("with a budget of %u %% the result is wrong", percent));
		if (!counts)
			return;
		into.first.push_back(ms[0]);
		into.later.push_back((ms[1] + ms[2]) / 2);
	}

	const het::device device_;
	const het::queue queue_;
	het::program program_;
};

std::string words(const ratio &r)
{
	return format("%.2f (%.2f to %.2f)", r.median, r.low, r.high);
}

// @way: first or later.
void tell(const problem &p, const std::vector<seen> &all, series seen::*way, report &out, table &shown)
{
	const bool is_later = way == &seen::later;
	for (size_t b = 0; b < nbudgets; b++) {
		const seen &s = all[b];
		const std::string name = format("%s/%s/%u%%", p.name(), is_later ? "later" : "first", budgets[b]);
		const ratio no_limit = paired_ratio(all[0].*way, s.*way),
			    all_in_place = paired_ratio(all[in_place].*way, s.*way);
		out.result(name, "ms", summarise(s.*way),
			   {{"moved", s.moved[is_later]}, {"accesses", s.accesses[is_later]}});
		out.ratio_of(name + "/no limit / this", no_limit);
		out.ratio_of(name + "/in place / this", all_in_place);
		shown.row({p.name(), is_later ? "later" : "first", format("%u %%", budgets[b]),
			   format("%.2f", median(s.*way)), format("%.3f", s.moved[is_later]),
			   format("%.3g", s.accesses[is_later]), words(no_limit), words(all_in_place)});
	}
}

het::device find_device()
{
	for (het::device d : het::devices()) {
		if (d.kind() == HET_DEVICE_CUDA)
			return d;
	}
	throw std::runtime_error("no device of kind CUDA: set HET_DEVICES");
}

struct named_problem {
	const char *name;
	std::function<std::unique_ptr<problem>(size_t nbytes, size_t scale)> make;
};

// The scale is 1 Mi but for short runs.
const named_problem problems[] = {
	{"dense", [](size_t n, size_t scale) { return std::make_unique<probes>("dense", n, 48 * scale, 1); }},
	{"skewed", [](size_t n, size_t scale) { return std::make_unique<probes>("skewed", n, 48 * scale, 4); }},
	{"sparse", [](size_t n, size_t scale) { return std::make_unique<probes>("sparse", n, scale, 1); }},
	{"columns", [](size_t n, size_t) { return std::make_unique<columns>(n); }},
};

int run(options o)
{
	if (o.common.quick) {
		o.megabytes = std::min<size_t>(o.megabytes, 2);
		o.rounds = std::min(o.rounds, 1u);
	}
	const het::device d = find_device();
	report out("in-place", {{"megabytes", o.megabytes}, {"rounds", o.rounds}, {"device", d.name()}});
	bool right = true;
	for (const named_problem &n : problems) {
		if (!o.problems.empty() && std::find(o.problems.begin(), o.problems.end(), n.name) == o.problems.end())
			continue;
		table shown(format("Launches in place, %zu MiB on %s", o.megabytes, d.name()),
			    {"problem", "launch", "budget", "ms", "moved / arrays", "accesses", "no limit / this",
			     "in place / this"});
		shown.left_columns(3);
		try {
			const auto p = n.make(o.megabytes << 20, o.common.quick ? 4096 : 1 << 20);
			const std::vector<seen> all = runner(d).run(*p, o.rounds);
			tell(*p, all, &seen::first, out, shown);
			tell(*p, all, &seen::later, out, shown);
		} catch (const std::exception &e) {
			out.note(format("%s: %s", n.name, e.what()));
			shown.note(format("%s: %s", n.name, e.what()));
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
	std::vector<std::string> names;
	for (const named_problem &n : problems)
		names.push_back(n.name);
	command_line line(
		"Launches on more bytes than the library may use of a device, which nobody knows beforehand.");
	add_common_options(line, o.common);
	line.number("--megabytes", o.megabytes, "size of the array that is looked up in");
	line.number("--rounds", o.rounds, "of each budget");
	line.list("--problems", o.problems, "which", names);
	return line.run(argc, argv, [&] { return run(o); });
}
