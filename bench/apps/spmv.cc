// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Multiplies a vector by a sparse matrix, over and over. The matrix comes from a file in the Matrix Market format, or
// is generated.
#include "apps/common/app.h"
#include "apps/common/matrix_market.h"
#include "common/format.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace bench
{
extern const kernel_text spmv_kernels;
} // namespace bench

using namespace bench;

namespace
{

constexpr size_t group = 64;

void multiply_on_host(const het_group *g, void *const *args)
{
	const uint32_t *starts = array_of<const uint32_t>(args, 0), *columns = array_of<const uint32_t>(args, 1);
	const float *values = array_of<const float>(args, 2), *x = array_of<const float>(args, 3);
	float *y = array_of<float>(args, 4);
	for_items(g, 0, value_of<uint32_t>(args, 5), [&](size_t r) {
		float sum = 0;
		for (size_t i = starts[r]; i < starts[r + 1]; i++)
			sum += values[i] * x[columns[i]];
		y[r] = sum;
	});
}

// Generates the flow of heat between the points of a square grid, as text in the format: it is symmetric, with at most
// five entries a row.
sparse_matrix generate(size_t side)
{
	std::stringstream text;
	const size_t links = 2 * side * (side - 1);
	text << "%%MatrixMarket matrix coordinate real symmetric\n"
	     << "% each point of a grid keeps a part and takes from its neighbours\n"
	     << side * side << ' ' << side * side << ' ' << side * side + links << '\n';
	for (size_t point = 1; point <= side * side; point++) {
		if (point > side)
			text << point << ' ' << point - side << " 0.2\n";
		if ((point - 1) % side)
			text << point << ' ' << point - 1 << " 0.2\n";
		text << point << ' ' << point << " 0.2\n";
	}
	return read_matrix_market(text, "generated matrix");
}

// Holds a vector, and its product with the matrix to the power of the steps.
struct vectors {
	vectors(const sparse_matrix &m, unsigned steps, unsigned seed)
	    : start(random_floats(m.columns, seed, 0, 1)), end(start.begin(), start.end())
	{
		std::vector<double> next(end.size());
		for (unsigned s = 0; s < steps; s++) {
			for (size_t r = 0; r < m.rows; r++) {
				next[r] = 0;
				for (size_t i = m.starts[r]; i < m.starts[r + 1]; i++)
					next[r] += double(m.values[i]) * end[m.column_of[i]];
			}
			next.swap(end);
		}
		for (double d : end)
			largest = std::fmax(largest, std::fabs(d));
	}

	std::vector<float> start;
	std::vector<double> end;
	double largest = 0;
};

// The matrix stays on the device from round to round, on both sides; only the vector is new.
class power final : public problem
{
      public:
	power(const sparse_matrix &m, const std::vector<vectors> &v, unsigned steps, plain_device *d)
	    : vectors_(v), steps_(steps), rows_(uint32_t(m.rows)), starts_(d, m.starts.size()),
	      columns_(d, m.column_of.size()), values_(d, m.values.size()), x_{{d, m.rows}, {d, m.rows}}
	{
		starts_.host = m.starts;
		columns_.host = m.column_of;
		values_.host = m.values;
		if (!d)
			return;
		starts_.send();
		columns_.send();
		values_.send();
	}

	void write(unsigned input) override { x_[0].host = vectors_[input].start; }
	void with_het(het_side &h) override
	{
		for (unsigned s = 0; s < steps_; s++)
			h.launch_split("multiply_rows", items(), het::read(starts_.host).each(1, 2),
				       het::read(columns_.host), het::read(values_.host), het::read(x_[s % 2].host),
				       het::write(x_[(s + 1) % 2].host).each(1), rows_);
		h.finish();
	}
	void by_hand(plain_device &d) override
	{
		x_[0].send();
		for (unsigned s = 0; s < steps_; s++)
			launch(d, "multiply_rows", items(), starts_, columns_, values_, x_[s % 2], x_[(s + 1) % 2],
			       rows_);
		x_[steps_ % 2].fetch();
	}
	double error(unsigned input) const override
	{
		return distance(x_[steps_ % 2].host, vectors_[input].end, vectors_[input].largest);
	}

      private:
	het::work items() const { return het::work(whole_groups_of(group, rows_)).groups_of(group); }

	const std::vector<vectors> &vectors_;
	const unsigned steps_;
	const uint32_t rows_;
	mirrored<uint32_t> starts_, columns_;
	mirrored<float> values_, x_[2];
};

struct spmv_options {
	std::string file;
	size_t side = 400;
	unsigned steps = 20;
};

int run(const app_options &o, spmv_options s)
{
	if (o.small)
		s.side = 30;
	const sparse_matrix m = s.file.empty() ? generate(s.side) : read_matrix_market(s.file);
	if (m.rows != m.columns || m.values.empty())
		throw std::runtime_error(s.file + ": the matrix must be square, and not empty");
	std::vector<vectors> v;
	for (unsigned input = 0; input < problem::inputs; input++)
		v.emplace_back(m, s.steps, input + 1);
	application a;
	a.name = "spmv";
	a.title = format("matrix of %zu rows with %zu entries times a vector, %u times", m.rows, m.values.size(),
			 s.steps);
	a.settings = {{"matrix", s.file.empty() ? "generated" : std::filesystem::path(s.file).filename().string()},
		      {"rows", m.rows},
		      {"entries", m.values.size()},
		      {"steps", s.steps}};
	a.kernels = {&spmv_kernels, {{"multiply_rows", multiply_on_host, 6}}};
	a.tolerance = 1e-5; // relative to the largest element
	a.make = [&](plain_device *d) { return std::make_unique<power>(m, v, s.steps, d); };
	return run_application(a, o);
}

} // namespace

int main(int argc, char **argv)
{
	app_options o;
	spmv_options s;
	command_line line("A sparse matrix times a vector through het_launch(), against copies by hand.");
	add_app_options(line, o);
	line.text("--matrix", s.file, "a square matrix in the Matrix Market format; default: one is generated");
	line.number("--side", s.side, "of the grid whose points are the rows of the generated matrix");
	line.number("--steps", s.steps, "products a round");
	return line.run(argc, argv, [&] { return run(o, s); });
}
