// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/matrix_market.h"

#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>

using namespace bench;

namespace
{

sparse_matrix read(const std::string &text)
{
	std::istringstream from(text);
	return read_matrix_market(from, "m");
}

// Returns what the reader has against @text, or "" if it has nothing.
std::string complaint(const std::string &text)
{
	try {
		read(text);
	} catch (const std::runtime_error &e) {
		return e.what();
	}
	return "";
}

const std::string real = "%%MatrixMarket matrix coordinate real general\n";

} // namespace

TEST(matrix_market, general_real)
{
	const sparse_matrix m = read(real + "% a comment\n\n3 4 4\n3 1 -1.5e1\n1 4 2\n1 2 +0.5\n  \n%\n3 3 1\r\n");
	EXPECT_EQ(m.rows, 3u);
	EXPECT_EQ(m.columns, 4u);
	EXPECT_EQ(m.starts, (std::vector<uint32_t>{0, 2, 2, 4}));
	EXPECT_EQ(m.column_of, (std::vector<uint32_t>{1, 3, 0, 2}));
	EXPECT_EQ(m.values, (std::vector<float>{0.5, 2, -15, 1}));
}

TEST(matrix_market, symmetric_integer)
{
	const sparse_matrix m = read("%%MatrixMarket MATRIX Coordinate Integer Symmetric\n2 2 2\n1 1 7\n2 1 -3");
	EXPECT_EQ(m.starts, (std::vector<uint32_t>{0, 2, 3}));
	EXPECT_EQ(m.column_of, (std::vector<uint32_t>{0, 1, 0}));
	EXPECT_EQ(m.values, (std::vector<float>{7, -3, -3}));
}

TEST(matrix_market, skew_symmetric)
{
	const sparse_matrix m = read("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 4\n");
	EXPECT_EQ(m.starts, (std::vector<uint32_t>{0, 1, 2}));
	EXPECT_EQ(m.values, (std::vector<float>{-4, 4}));
}

TEST(matrix_market, pattern)
{
	const sparse_matrix m = read("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n3 1\n2 2\n");
	EXPECT_EQ(m.starts, (std::vector<uint32_t>{0, 1, 2, 3}));
	EXPECT_EQ(m.column_of, (std::vector<uint32_t>{2, 1, 0}));
	EXPECT_EQ(m.values, (std::vector<float>{1, 1, 1}));
}

TEST(matrix_market, entries_of_one_place_are_summed)
{
	const sparse_matrix m = read(real + "2 2 3\n2 1 1\n1 1 5\n2 1 2\n");
	EXPECT_EQ(m.starts, (std::vector<uint32_t>{0, 1, 2}));
	EXPECT_EQ(m.values, (std::vector<float>{5, 3}));
}

TEST(matrix_market, empty)
{
	EXPECT_EQ(read(real + "2 2 0\n").starts, (std::vector<uint32_t>{0, 0, 0}));
	EXPECT_EQ(read(real + "0 0 0\n").starts, (std::vector<uint32_t>{0}));
}

TEST(matrix_market, headers_that_are_refused)
{
	for (const char *text : {"", "3 3 1\n", "%MatrixMarket matrix coordinate real general\n1 1 0\n",
				 "%%MatrixMarket matrix array real general\n1 1\n1\n",
				 "%%MatrixMarket vector coordinate real general\n1 1 0\n",
				 "%%MatrixMarket matrix coordinate complex general\n1 1 0\n",
				 "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n",
				 "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n",
				 "%%MatrixMarket matrix coordinate real\n1 1 0\n",
				 "%%MatrixMarket matrix coordinate real general more\n1 1 0\n"})
		EXPECT_TRUE(complaint(text).starts_with("m:1: ")) << text << complaint(text);
}

TEST(matrix_market, faults_are_told_with_their_line)
{
	const struct {
		const char *text, *complaint;
	} wrong[] = {
		{"", "m:1: the file ends too early"},
		{"2 2\n", "m:2: the number of entries should be a number, not ''"},
		{"2 2 1 1\n", "m:2: '1' is too much"},
		{"2 x 1\n", "m:2: the number of columns should be a number, not 'x'"},
		{"-2 2 1\n", "m:2: the number of rows should be a number, not '-2'"},
		{"2 2 99999999999\n", "m:2: more than 2147483647 rows, columns or entries"},
		{"2 2 99999999999999999999999\n",
		 "m:2: the number of entries should be a number, not '99999999999999999999999'"},
		{"2 2 2\n1 1 1\n", "m:3: the file ends too early"},
		{"2 2 1\n%\n1 1 1\n2 2 2\n", "m:5: more than the 1 entries that line 2 announces"},
		{"2 2 1\n3 1 1\n", "m:3: row 3, column 1 lies outside of the matrix of 2 x 2"},
		{"2 2 1\n1 0 1\n", "m:3: row 1, column 0 lies outside of the matrix of 2 x 2"},
		{"2 2 1\n1 1\n", "m:3: the value should be a number, not ''"},
		{"2 2 1\n1 1 1 1\n", "m:3: '1' is too much"},
		{"2 2 1\n1 1 1.5x\n", "m:3: the value should be a number, not '1.5x'"},
		{"2 2 1\n1 1 nan\n", "m:3: the value is not finite"},
		{"2 2 1\n1 1 1e99\n", "m:3: the value should be a number, not '1e99'"},
	};
	for (const auto &w : wrong)
		EXPECT_EQ(complaint(real + w.text), w.complaint) << w.text;
}

TEST(matrix_market, symmetric_files_that_are_refused)
{
	const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
	const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
	EXPECT_EQ(complaint(symmetric + "2 3 0\n"), "m:2: a symmetric matrix has as many rows as columns");
	EXPECT_EQ(complaint(symmetric + "2 2 1\n1 2 1\n"),
		  "m:3: only the lower triangle of a symmetric matrix is in the file");
	EXPECT_EQ(complaint(skew + "2 2 1\n1 1 1\n"),
		  "m:3: only the lower triangle of a symmetric matrix is in the file");
	EXPECT_EQ(complaint("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n"),
		  "m:3: the value should be a number, not '1.5'");
}

TEST(matrix_market, a_file_that_is_not_there)
{
	EXPECT_THROW(read_matrix_market("/nonexistent/matrix.mtx"), std::runtime_error);
}
