// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/matrix_market.h"

#include "common/format.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace bench
{

namespace
{

enum class symmetry { general, symmetric, skew };

struct entry {
	uint32_t row, column;
	float value;
};

class reader
{
      public:
	reader(std::istream &from, const std::string &name) : from_(from), name_(name) {}

	sparse_matrix read()
	{
		read_header();
		read_sizes();
		for (size_t i = 0; i < entries_; i++) {
			next_line();
			read_entry();
		}
		if (find_line())
			fail(format("more than the %zu entries that line %zu announces", entries_, sizes_line_));
		return compress();
	}

      private:
	[[noreturn]] void fail(const std::string &what) const
	{
		throw std::runtime_error(format("%s:%zu: %s", name_.c_str(), number_, what.c_str()));
	}

	// Finds the next line that is neither empty nor a comment. @return false at the end.
	bool find_line()
	{
		while (std::getline(from_, line_)) {
			number_++;
			rest_ = line_;
			if (!word().empty() && line_[0] != '%') {
				rest_ = line_;
				return true;
			}
		}
		return false;
	}
	void next_line()
	{
		if (!find_line())
			fail("the file ends too early");
	}

	// Takes the next word of the line, or "" at its end.
	std::string_view word()
	{
		constexpr const char *blanks = " \t\r";
		const size_t first = std::min(rest_.find_first_not_of(blanks), rest_.size());
		const size_t end = std::min(rest_.find_first_of(blanks, first), rest_.size());
		const std::string_view w = rest_.substr(first, end - first);
		rest_.remove_prefix(end);
		return w;
	}
	template <class T> T number(const char *what)
	{
		const std::string_view w = word();
		T value{};
		const auto [end, err] =
			std::from_chars(w.data() + (w.starts_with('+') ? 1 : 0), w.data() + w.size(), value);
		if (w.empty() || err != std::errc() || end != w.data() + w.size())
			fail(format("%s should be a number, not '%.*s'", what, int(w.size()), w.data()));
		return value;
	}
	void end_of_line()
	{
		if (const std::string_view w = word(); !w.empty())
			fail(format("'%.*s' is too much", int(w.size()), w.data()));
	}

	std::string lower_word()
	{
		std::string w(word());
		std::transform(w.begin(), w.end(), w.begin(), [](unsigned char c) { return char(std::tolower(c)); });
		return w;
	}

	void read_header()
	{
		number_ = 1;
		if (!std::getline(from_, line_))
			fail("there is nothing to read");
		rest_ = line_;
		if (word() != "%%MatrixMarket")
			fail("a Matrix Market file begins with %%MatrixMarket");
		if (lower_word() != "matrix" || lower_word() != "coordinate")
			fail("only 'matrix coordinate' files can be read");
		const std::string field = lower_word(), kind = lower_word();
		if (field != "real" && field != "integer" && field != "pattern")
			fail("entries must be real, integer or pattern, not '" + field + "'");
		pattern_ = field == "pattern";
		integer_ = field == "integer";
		if (kind == "symmetric")
			symmetry_ = symmetry::symmetric;
		else if (kind == "skew-symmetric")
			symmetry_ = symmetry::skew;
		else if (kind != "general")
			fail("the matrix must be general, symmetric or skew-symmetric, not '" + kind + "'");
		if (pattern_ && symmetry_ == symmetry::skew)
			fail("a pattern can't be skew-symmetric");
		end_of_line();
	}

	void read_sizes()
	{
		next_line();
		sizes_line_ = number_;
		matrix_.rows = number<size_t>("the number of rows");
		matrix_.columns = number<size_t>("the number of columns");
		entries_ = number<size_t>("the number of entries");
		end_of_line();
		constexpr size_t most = std::numeric_limits<uint32_t>::max() / 2; // a symmetric entry counts twice
		if (matrix_.rows >= most || matrix_.columns >= most || entries_ >= most)
			fail(format("more than %zu rows, columns or entries", most));
		if (symmetry_ != symmetry::general && matrix_.rows != matrix_.columns)
			fail("a symmetric matrix has as many rows as columns");
	}

	void read_entry()
	{
		const size_t row = number<size_t>("the row"), column = number<size_t>("the column");
		if (row < 1 || row > matrix_.rows || column < 1 || column > matrix_.columns)
			fail(format("row %zu, column %zu lies outside of the matrix of %zu x %zu", row, column,
				    matrix_.rows, matrix_.columns));
		const float value = pattern_   ? 1
				    : integer_ ? float(number<long>("the value"))
					       : number<float>("the value");
		end_of_line();
		if (!std::isfinite(value))
			fail("the value is not finite");
		add(row - 1, column - 1, value);
		if (symmetry_ == symmetry::general)
			return;
		if (column > row || (row == column && symmetry_ == symmetry::skew))
			fail("only the lower triangle of a symmetric matrix is in the file");
		if (row != column)
			add(column - 1, row - 1, symmetry_ == symmetry::skew ? -value : value);
	}
	void add(size_t row, size_t column, float value) { found_.push_back({uint32_t(row), uint32_t(column), value}); }

	sparse_matrix compress()
	{
		std::sort(found_.begin(), found_.end(), [](const entry &a, const entry &b) {
			return a.row != b.row ? a.row < b.row : a.column < b.column;
		});
		matrix_.starts.assign(matrix_.rows + 1, 0);
		for (size_t i = 0; i < found_.size(); i++) {
			const entry &e = found_[i];
			if (i && found_[i - 1].row == e.row && found_[i - 1].column == e.column) {
				matrix_.values.back() += e.value;
				continue;
			}
			matrix_.column_of.push_back(e.column);
			matrix_.values.push_back(e.value);
			matrix_.starts[e.row + 1]++;
		}
		for (size_t r = 0; r < matrix_.rows; r++)
			matrix_.starts[r + 1] += matrix_.starts[r];
		return std::move(matrix_);
	}

	std::istream &from_;
	const std::string name_;
	std::string line_;
	std::string_view rest_; // what has not been read of the line
	size_t number_ = 0;     // the line's number
	size_t sizes_line_ = 0;
	bool pattern_ = false, integer_ = false;
	symmetry symmetry_ = symmetry::general;
	size_t entries_ = 0; // the file says that it has so many
	sparse_matrix matrix_;
	std::vector<entry> found_;
};

} // namespace

sparse_matrix read_matrix_market(std::istream &from, const std::string &name)
{
	return reader(from, name).read();
}

sparse_matrix read_matrix_market(const std::string &path)
{
	std::ifstream file(path);
	if (!file)
		throw std::runtime_error(path + ": can't be opened");
	return read_matrix_market(file, path);
}

} // namespace bench
