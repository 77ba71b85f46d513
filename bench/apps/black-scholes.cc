// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes prices of European options by the formula of Black and Scholes (1973).
#include "apps/common/app.h"
#include "common/format.h"

#include <algorithm>

namespace bench
{
extern const kernel_text black_scholes_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 256;
constexpr float rate = 0.02f, volatility = 0.3f;

float normal(float x)
{
	const float k = 1 / (1 + 0.2316419f * std::fabs(x));
	const float tail =
		std::exp(-0.5f * x * x) * 0.39894228f * k *
		(0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
	return x > 0 ? 1 - tail : tail;
}

void price_on_host(const het_group *g, void *const *args)
{
	const float *stock = array_of<const float>(args, 0), *strike = array_of<const float>(args, 1),
		    *years = array_of<const float>(args, 2);
	float *call = array_of<float>(args, 3), *put = array_of<float>(args, 4);
	const float r = value_of<float>(args, 6), v = value_of<float>(args, 7);
	for_items(g, 0, value_of<uint32_t>(args, 5), [&](size_t i) {
		const float s = stock[i], k = strike[i], t = years[i];
		const float spread = v * std::sqrt(t);
		const float d1 = (std::log(s / k) + (r + 0.5f * v * v) * t) / spread;
		const float d2 = d1 - spread;
		const float later = k * std::exp(-r * t);
		call[i] = s * normal(d1) - later * normal(d2);
		put[i] = later * normal(-d2) - s * normal(-d1);
	});
}

// Holds options and their prices. The latter are in doubles, with the C library's error function.
struct market {
	market(size_t n, unsigned seed)
	    : stock(random_floats(n, seed, 5, 30)), strike(random_floats(n, seed + 10, 5, 30)),
	      years(random_floats(n, seed + 20, 0.25, 10)), call(n), put(n)
	{
		auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
		for (size_t i = 0; i < n; i++) {
			const double s = stock[i], k = strike[i], t = years[i], r = rate, v = volatility;
			const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t));
			const double d2 = d1 - v * std::sqrt(t);
			call[i] = s * below(d1) - k * std::exp(-r * t) * below(d2);
			put[i] = call[i] - s + k * std::exp(-r * t); // follows from put-call parity
		}
	}

	std::vector<float> stock, strike, years;
	std::vector<double> call, put;
};

class prices final : public problem
{
      public:
	prices(const std::vector<market> &markets, plain_device *d)
	    : markets_(markets), n_(markets[0].stock.size()), stock_(d, n_), strike_(d, n_), years_(d, n_),
	      call_(d, n_), put_(d, n_)
	{
	}

	void write(unsigned input) override
	{
		stock_.host = markets_[input].stock;
		strike_.host = markets_[input].strike;
		years_.host = markets_[input].years;
	}
	void with_het(het_side &h) override
	{
		h.launch_split("price", items(), het::read(stock_.host).each(1), het::read(strike_.host).each(1),
			       het::read(years_.host).each(1), het::write(call_.host).each(1),
			       het::write(put_.host).each(1), uint32_t(n_), rate, volatility)
			.wait();
	}
	void by_hand(plain_device &d) override
	{
		stock_.send();
		strike_.send();
		years_.send();
		launch(d, "price", items(), stock_, strike_, years_, call_, put_, uint32_t(n_), rate, volatility);
		call_.fetch();
		put_.fetch();
	}
	double error(unsigned input) const override
	{
		const market &m = markets_[input];
		return std::fmax(distance(call_.host, m.call, 1), distance(put_.host, m.put, 1));
	}

      private:
	het::work items() const { return het::work(whole_groups_of(group, n_)).groups_of(group); }

	const std::vector<market> &markets_;
	const size_t n_;
	mirrored<float> stock_, strike_, years_, call_, put_;
};

int run(const app_options &o, size_t options)
{
	const size_t n = o.small ? 10000 : options;
	std::vector<market> markets;
	for (unsigned input = 0; input < problem::inputs; input++)
		markets.emplace_back(n, input + 1);
	application a;
	a.name = "black-scholes";
	a.title = format("prices of %zu options", n);
	a.settings = {{"options", n}};
	a.kernels = {&black_scholes_kernels, {{"price", price_on_host, 8}}};
	a.tolerance = 1e-4; // floats nearly cancel
	a.make = [&](plain_device *d) { return std::make_unique<prices>(markets, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t options = 1000000;
	command_line line("Prices of options after Black and Scholes, through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--options", options, "calls, and as many puts");
	return line.run(argc, argv, [&] { return run(o, options); });
}
