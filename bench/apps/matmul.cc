// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Multiplies two square matrices.
#include "apps/common/product.h"
#include "common/format.h"

#include <algorithm>

using namespace bench;

namespace
{

// Holds both inputs: the second one has a factor before its first matrix.
struct matrices {
	explicit matrices(size_t n) : n(n), a(random_floats(n * n, 1, 0, 1)), b(random_floats(n * n, 2, 0, 1)), c(n * n)
	{
		std::vector<double> row(n);
		for (size_t y = 0; y < n; y++) {
			std::fill(row.begin(), row.end(), 0.0);
			for (size_t k = 0; k < n; k++)
				for (size_t x = 0; x < n; x++)
					row[x] += double(a[y * n + k]) * b[k * n + x];
			std::copy(row.begin(), row.end(), c.begin() + ptrdiff_t(y * n));
		}
	}
	static float factor(unsigned input) { return input ? 2.0f : 1.0f; }

	size_t n;
	std::vector<float> a, b, c;
};

class product final : public problem
{
      public:
	product(const matrices &m, plain_device *d) : m_(m), a_(d, m.a.size()), b_(d, m.a.size()), c_(d, m.a.size()) {}

	void write(unsigned input) override
	{
		const float factor = matrices::factor(input);
		std::transform(m_.a.begin(), m_.a.end(), a_.host.begin(), [&](float f) { return factor * f; });
		b_.host = m_.b;
	}
	void with_het(het_side &h) override
	{
		h.launch_split("multiply", items(), het::read(a_.host).each(n()), het::read(b_.host),
			       het::write(c_.host).each(n()), n())
			.wait();
	}
	void by_hand(plain_device &d) override
	{
		a_.send();
		b_.send();
		launch(d, "multiply", items(), a_, b_, c_, n());
		c_.fetch();
	}
	double error(unsigned input) const override
	{
		double largest = 0;
		for (size_t i = 0; i < m_.c.size(); i++) {
			const double wanted = double(matrices::factor(input)) * m_.c[i];
			largest = std::fmax(largest, distance(c_.host[i], wanted, 1));
		}
		return largest;
	}

      private:
	uint32_t n() const { return uint32_t(m_.n); }
	het::work items() const { return product_items(m_.n, m_.n); }

	const matrices &m_;
	mirrored<float> a_, b_, c_;
};

int run(const app_options &o, size_t size)
{
	const size_t n = whole_groups_of(product_tile, o.small ? 64 : size);
	const matrices m(n);
	application a;
	a.name = "matmul";
	a.title = format("matrix product, %zu x %zu", n, n);
	a.settings = {{"size", n}};
	a.kernels = {&matmul_kernels, {{"multiply", multiply_on_host, 4}}};
	a.tolerance = 1e-4; // relative to sums of n floats
	a.make = [&](plain_device *d) { return std::make_unique<product>(m, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	size_t size = 512;
	command_line line("The product of two square matrices through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.number("--size", size, "rows and columns, rounded up to a multiple of 16");
	return line.run(argc, argv, [&] { return run(o, size); });
}
