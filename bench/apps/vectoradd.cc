// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes z = x + y, and launches an empty kernel and waits for it.
#include "apps/common/app.h"
#include "common/clock.h"
#include "common/format.h"

#include <algorithm>

namespace bench
{
extern const kernel_text vectoradd_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 256;

void add_on_host(const het_group *g, void *const *args)
{
	const float *x = array_of<const float>(args, 0), *y = array_of<const float>(args, 1);
	float *z = array_of<float>(args, 2);
	for_items(g, 0, value_of<uint64_t>(args, 3), [&](size_t i) { z[i] = x[i] + y[i]; });
}

void do_nothing_on_host(const het_group *, void *const *) {}

class addition final : public problem
{
      public:
	addition(size_t n, plain_device *d) : n_(n), x_(d, n), y_(d, n), z_(d, n) {}

	void write(unsigned input) override
	{
		for (size_t i = 0; i < n_; i++) {
			x_.host[i] = float((i + input) % 1000);
			y_.host[i] = float(i % 77);
		}
	}
	void with_het(het_side &h) override
	{
		h.launch_split("add", items(), het::read(x_.host).each(1), het::read(y_.host).each(1),
			       het::write(z_.host).each(1), n_)
			.wait();
	}
	void by_hand(plain_device &d) override
	{
		x_.send();
		y_.send();
		launch(d, "add", items(), x_, y_, z_, n_);
		z_.fetch();
	}
	// The host adds the same floats, so nothing may differ.
	double error(unsigned) const override
	{
		bool right = true;
		for (size_t i = 0; i < n_; i++)
			right &= z_.host[i] == x_.host[i] + y_.host[i];
		return right ? 0 : 1;
	}

      private:
	het::work items() const { return het::work(whole_groups_of(group, n_)).groups_of(group); }

	const uint64_t n_;
	mirrored<float> x_, y_, z_;
};

app_times time_launches(het_side &h, plain_device &d, unsigned launches)
{
	constexpr unsigned warm_up = 50;
	const auto one_group = het::work(group).groups_of(group);
	app_times t;
	for (unsigned i = 0; i < launches + warm_up; i++) {
		stopwatch watch;
		h.launch("nothing", one_group).wait();
		const double het = watch.lap();
		launch(d, "nothing", one_group);
		d.finish();
		const double plain = watch.lap();
		if (i < warm_up)
			continue;
		t.het.push_back(het);
		t.plain.push_back(plain);
	}
	return t;
}

int run(const app_options &o, size_t elements, unsigned launches)
{
	const size_t n = o.small ? 10007 : elements;
	if (o.small || o.common.quick)
		launches = std::min(launches, o.small ? 10u : 300u);
	application a;
	a.name = "vectoradd";
	a.row = "add";
	a.title = format("%zu elements, local size %zu", n, group);
	a.settings = {{"elements", n}, {"launches", launches}};
	a.kernels = {&vectoradd_kernels, {{"add", add_on_host, 4}, {"nothing", do_nothing_on_host, 0}}};
	a.make = [&](plain_device *d) { return std::make_unique<addition>(n, d); };
	a.extras = {{"nothing", [&](het_side &h, plain_device &d) { return time_launches(h, d, launches); }}};
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t elements = 11444777; // as in Thessaly's thesis
	unsigned launches = 2000;
	command_line line("Vector addition through het_launch(), against copies by hand, and empty kernels.");
	add_app_options(line, o);
	line.number("--elements", elements, "of each vector");
	line.number("--launches", launches, "empty kernels each way");
	return line.run(argc, argv, [&] { return run(o, elements, launches); });
}
