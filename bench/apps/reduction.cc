// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Sums an array: each group sums its share, and one more group sums the sums, which stay on the device.
#include "apps/common/app.h"
#include "common/format.h"

#include <numeric>

namespace bench
{
extern const kernel_text reduction_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 256, groups = 256;

// A group takes the same elements as on other devices: runs of its size, with so many work-items between.
template <class T> void sum_on_host(const het_group *g, void *const *args)
{
	const T *x = array_of<const T>(args, 0);
	const size_t n = value_of<uint32_t>(args, 2);
	uint64_t sum = 0;
	for (size_t run = g->first[0]; run < n; run += g->global[0])
		sum = std::accumulate(x + run, x + std::min(n, run + g->items[0]), sum);
	array_of<uint64_t>(args, 1)[g->group[0]] = sum;
}

class summing final : public problem
{
      public:
	summing(const std::vector<uint32_t> &numbers, plain_device *d)
	    : numbers_(numbers), n_(uint32_t(numbers.size())),
	      sum_(std::accumulate(numbers.begin(), numbers.end(), uint64_t{0})), x_(d, n_), result_(d, 1),
	      sums_(d, groups)
	{
	}

	// The second input has one more in each number.
	void write(unsigned input) override
	{
		for (size_t i = 0; i < n_; i++)
			x_.host[i] = numbers_[i] + input;
	}
	// The launch must not be split: no pattern says that a group of work-items writes one sum.
	void with_het(het_side &h) override
	{
		h.launch("sum", items(), het::read(x_.host), het::write(shared_sums_), n_);
		h.launch("sum_of_sums", last(), het::read(shared_sums_), het::write(result_.host), uint32_t(groups))
			.wait();
	}
	void by_hand(plain_device &d) override
	{
		x_.send();
		launch(d, "sum", items(), x_, sums_, n_);
		launch(d, "sum_of_sums", last(), sums_, result_, uint32_t(groups));
		result_.fetch();
	}
	double error(unsigned input) const override { return result_.host[0] == sum_ + uint64_t{input} * n_ ? 0 : 1; }

      private:
	static het::work items() { return het::work(group * groups).groups_of(group); }
	static het::work last() { return het::work(group).groups_of(group); }

	const std::vector<uint32_t> &numbers_;
	const uint32_t n_;
	const uint64_t sum_;
	mirrored<uint32_t> x_;
	mirrored<uint64_t> result_, sums_;
	const het::memory shared_sums_{groups * sizeof(uint64_t)};
};

int run(const app_options &o, size_t elements)
{
	const size_t n = o.small ? 100003 : elements;
	std::vector<uint32_t> numbers;
	for (float f : random_floats(n, 1, 0, 4e9f))
		numbers.push_back(uint32_t(f));
	application a;
	a.name = "reduction";
	a.title = format("sum of %zu numbers", n);
	a.settings = {{"elements", n}};
	a.kernels = {&reduction_kernels,
		     {{"sum", sum_on_host<uint32_t>, 3}, {"sum_of_sums", sum_on_host<uint64_t>, 3}}};
	a.make = [&](plain_device *d) { return std::make_unique<summing>(numbers, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t elements = 8000000;
	command_line line("The sum of an array through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--elements", elements, "numbers of 32 bits");
	return line.run(argc, argv, [&] { return run(o, elements); });
}
