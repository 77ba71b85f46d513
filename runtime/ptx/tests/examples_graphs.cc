// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "corpus_b.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace het::ptx::simt
{

namespace
{

constexpr const char *file = "graphs.ptx";

// Each vertex has as many edges as its number says, in some order.
struct graph {
	std::vector<unsigned> firsts{0}, edges;
};

graph some_graph(unsigned n)
{
	graph g;
	auto degrees = numbers<unsigned>(n, 0, 5), ends = numbers<unsigned>(5 * n, 0, int(n) - 1);
	for (unsigned v = 0; v < n; v++) {
		for (unsigned k = 0; k < degrees[v]; k++)
			g.edges.push_back(ends[5 * v + k]);
		g.firsts.push_back(unsigned(g.edges.size()));
	}
	return g;
}

void tree(examples *all)
{
	auto keys = numbers<int>(60, 0, 200), asked = numbers<int>(90, 0, 200);
	std::vector<int> nodes; // key, left, right and value of each node
	std::map<int, int> values;
	for (int key : keys) {
		int number = int(nodes.size() / 4);
		if (!values.emplace(key, 7 * number).second)
			continue;
		for (size_t at = 0; number;) {
			int &next = nodes[4 * at + (key < nodes[4 * at] ? 1 : 2)];
			if (next < 0) {
				next = number;
				break;
			}
			at = size_t(next);
		}
		nodes.insert(nodes.end(), {key, -1, -1, 7 * number});
	}
	std::vector<int> want;
	for (int key : asked)
		want.push_back(values.count(key) ? values[key] : -1);
	all->emplace_back(file, "tree_find", extent{2}, extent{64}).in(nodes).in(asked).out(want).value(90u);
}

// Any order of insertions gives another table, so only hash_find looks at it.
void hashes(examples *all)
{
	constexpr unsigned slots = 128;
	auto keys = numbers<unsigned>(60, 1, 150), asked = numbers<unsigned>(100, 1, 150);
	std::vector<unsigned> table(slots);
	for (unsigned k : keys)
		for (unsigned at = k * 2654435761u;; at++) {
			unsigned &slot = table[at % slots];
			if (slot == 0 || slot == k) {
				slot = k;
				break;
			}
		}
	std::vector<uint8_t> found;
	for (unsigned k : asked)
		found.push_back(std::count(keys.begin(), keys.end(), k) > 0);
	all->emplace_back(file, "hash_insert", extent{1}, extent{64})
		.in(keys)
		.out<unsigned>(slots)
		.value(60u)
		.value(slots - 1)
		.repeats_in(example::no_order);
	all->emplace_back(file, "hash_find", extent{4}, extent{32})
		.in(asked)
		.in(table)
		.out(found)
		.value(100u)
		.value(slots - 1);
}

void steps(examples *all)
{
	constexpr unsigned n = 100;
	auto g = some_graph(n);
	std::vector<int> levels(n, -1);
	for (unsigned v = 0; v < n; v += 17)
		levels[v] = 4;
	auto want = levels;
	for (unsigned v = 0; v < n; v++)
		for (unsigned e = g.firsts[v]; levels[v] == 4 && e < g.firsts[v + 1]; e++)
			want[g.edges[e]] = want[g.edges[e]] < 0 ? 5 : want[g.edges[e]];
	all->emplace_back(file, "breadth_first", extent{4}, extent{32})
		.in(g.firsts)
		.in(g.edges)
		.inout(levels, want)
		.value(4)
		.out(std::vector<unsigned>{1})
		.value(n);
}

// The edges go from every fourth vertex to odd ones, which have none: so no thread changes what another reads.
void distances(examples *all)
{
	constexpr unsigned n = 100;
	auto ends = numbers<unsigned>(125, 0, n - 1), lengths = numbers<unsigned>(125, 1, 50);
	std::vector<unsigned> firsts{0}, was(n, ~0u);
	for (unsigned v = 0; v < n; v++) {
		firsts.push_back((v / 4 + 1) * 5);
		was[v] = v % 4 ? ~0u : v;
	}
	auto want = was;
	for (unsigned e = 0; e < ends.size(); e++) {
		ends[e] |= 1;
		want[ends[e]] = std::min(want[ends[e]], e / 5 * 4 + lengths[e]);
	}
	all->emplace_back(file, "relax", extent{4}, extent{32})
		.in(firsts)
		.in(ends)
		.in(lengths)
		.inout(was, want)
		.value(n);
}

void ranks(examples *all)
{
	constexpr unsigned n = 90;
	auto g = some_graph(n);
	auto in = numbers<float>(n, 0, 20);
	std::vector<float> want(n, 0.15f);
	for (unsigned v = 0; v < n; v++)
		for (unsigned e = g.firsts[v]; e < g.firsts[v + 1]; e++)
			want[v] += 0.85f * in[g.edges[e]];
	all->emplace_back(file, "page_rank", extent{3}, extent{32})
		.in(g.firsts)
		.in(g.edges)
		.in(in)
		.out(want, 1e-5)
		.value(n);
}

// The parents may differ with the order, but roots do not: with lists of two, parents are roots.
void sets(examples *all)
{
	constexpr unsigned n = 60;
	std::vector<unsigned> from, to, was(n), want(n);
	std::iota(was.begin(), was.end(), 0u);
	want = was;
	for (unsigned v = 0; v + 1 < n; v += 2) {
		from.push_back(v % 4 ? v : v + 1);
		to.push_back(v % 4 ? v + 1 : v);
		want[v + 1] = v;
	}
	all->emplace_back(file, "unite", extent{1}, extent{32})
		.in(from)
		.in(to)
		.inout(was, want)
		.value(unsigned(from.size()));
}

void queens(examples *all)
{
	all->emplace_back(file, "queens", extent{1}, extent{36}).out(std::vector<unsigned>{4}).value(6);
	all->emplace_back(file, "queens", extent{1}, extent{64}).out(std::vector<unsigned>{92}).value(8);
}

} // namespace

void add_graphs(examples *all)
{
	for (auto add : {tree, hashes, steps, distances, ranks, sets, queens})
		add(all);
}

} // namespace het::ptx::simt
