// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Counts how often each byte occurs. Groups add to the same bins, with atomics.
#include "apps/common/app.h"
#include "common/format.h"

#include <algorithm>
#include <atomic>

namespace bench
{
extern const kernel_text histogram_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t bins = 256, groups = 128; // a group has a work-item for each bin

void count_on_host(const het_group *g, void *const *args)
{
	const uint8_t *bytes = array_of<const uint8_t>(args, 0);
	const size_t n = value_of<uint32_t>(args, 2);
	uint32_t mine[bins] = {};
	for (size_t run = g->first[0]; run < n; run += g->global[0])
		for (size_t i = run; i < std::min(n, run + g->items[0]); i++)
			mine[bytes[i]]++;
	for (size_t b = 0; b < bins; b++)
		std::atomic_ref(array_of<uint32_t>(args, 1)[b]) += mine[b];
}

// The second input has the complement of each byte, so its bins are in the opposite order.
class counting final : public problem
{
      public:
	counting(const std::vector<uint8_t> &bytes, plain_device *d)
	    : bytes_(bytes), x_(d, bytes.size()), bins_(d, bins)
	{
		for (uint8_t b : bytes)
			wanted_[b]++;
	}

	void write(unsigned input) override
	{
		const auto change = uint8_t(input ? 0xff : 0);
		std::transform(bytes_.begin(), bytes_.end(), x_.host.begin(),
			       [&](uint8_t b) { return uint8_t(b ^ change); });
		std::fill(bins_.host.begin(), bins_.host.end(), 0);
	}
	// The launch must not be split: groups on two devices would add to two copies of the bins.
	void with_het(het_side &h) override
	{
		h.launch("count", items(), het::read(x_.host), het::read_write(bins_.host), n()).wait();
	}
	void by_hand(plain_device &d) override
	{
		x_.send();
		bins_.send();
		launch(d, "count", items(), x_, bins_, n());
		bins_.fetch();
	}
	double error(unsigned input) const override
	{
		double wrong = 0;
		for (size_t b = 0; b < bins; b++)
			wrong += bins_.host[b] != wanted_[input ? bins - 1 - b : b];
		return wrong;
	}

      private:
	static het::work items() { return het::work(bins * groups).groups_of(bins); }
	uint32_t n() const { return uint32_t(bytes_.size()); }

	const std::vector<uint8_t> &bytes_;
	uint32_t wanted_[bins] = {};
	mirrored<uint8_t> x_;
	mirrored<uint32_t> bins_;
};

int run(const app_options &o, size_t size)
{
	const size_t n = o.small ? 100003 : size;
	std::vector<uint8_t> bytes;
	for (float f : random_floats(n, 1, 0, 1))
		bytes.push_back(uint8_t(f * f * 256)); // makes small ones frequent
	application a;
	a.name = "histogram";
	a.title = format("histogram of %zu bytes", n);
	a.settings = {{"bytes", n}};
	a.kernels = {&histogram_kernels, {{"count", count_on_host, 3}}};
	a.make = [&](plain_device *d) { return std::make_unique<counting>(bytes, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t size = 16000000;
	command_line line("How often each byte occurs, through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--bytes", size, "to look at");
	return line.run(argc, argv, [&] { return run(o, size); });
}
