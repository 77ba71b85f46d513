// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/decoder.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

// Holds the control flow between basic blocks, and finds which block postdominates which (by Cooper, Harvey and
// Kennedy's algorithm on the reversed graph). A guarded exit or return has no edge to the end: lanes that leave do not
// meet others again.
class flow
{
      public:
	flow(const code &c, const program &p) : code_(c), program_(p)
	{
		find_blocks();
		connect();
		postdominate();
	}

	uint32_t meeting_point(uint32_t op) const
	{
		uint32_t b = nearest_[block_of_[op]];
		return b == no_index || b == end() ? no_index : first_[b];
	}

      private:
	uint32_t end() const { return uint32_t(first_.size()); }

	void targets_of(const uop &u, std::vector<uint32_t> *out) const
	{
		if (u.action == action::branch)
			out->push_back(u.target);
		else if (u.action == action::indexed_branch)
			*out = program_.tables()[u.target];
	}

	static bool ends_block(const uop &u)
	{
		return u.action == action::branch || u.action == action::indexed_branch || u.action == action::ret ||
		       u.action == action::exit || u.action == action::trap;
	}

	void find_blocks()
	{
		std::vector<bool> leads(code_.ops.size() + 1);
		leads[0] = true;
		std::vector<uint32_t> targets;
		for (size_t i = 0; i < code_.ops.size(); i++) {
			targets.clear();
			targets_of(code_.ops[i], &targets);
			for (uint32_t t : targets)
				leads[t] = true;
			if (ends_block(code_.ops[i]))
				leads[i + 1] = true;
		}
		block_of_.resize(code_.ops.size());
		for (uint32_t i = 0; i < code_.ops.size(); i++) {
			if (leads[i])
				first_.push_back(i);
			block_of_[i] = uint32_t(first_.size() - 1);
		}
	}

	void connect()
	{
		successors_.resize(end() + 1);
		predecessors_.resize(end() + 1);
		for (uint32_t b = 0; b < end(); b++) {
			uint32_t last = (b + 1 < end() ? first_[b + 1] : uint32_t(code_.ops.size())) - 1;
			const uop &u = code_.ops[last];
			std::vector<uint32_t> targets;
			targets_of(u, &targets);
			for (uint32_t t : targets)
				edge(b, block_of_[t]);
			bool leaves = u.action == action::ret || u.action == action::exit || u.action == action::trap;
			if (!ends_block(u) || u.guard.valid())
				edge(b, b + 1);
			else if (leaves)
				edge(b, end());
		}
	}

	void edge(uint32_t from, uint32_t to)
	{
		successors_[from].push_back(to);
		predecessors_[to].push_back(from);
	}

	// Returns the blocks in postorder of the reversed graph, the end last.
	std::vector<uint32_t> postorder() const
	{
		std::vector<uint32_t> order;
		std::vector<bool> seen(end() + 1);
		std::vector<std::pair<uint32_t, size_t>> path{{end(), 0}};
		seen[end()] = true;
		while (!path.empty()) {
			auto &[b, next] = path.back();
			if (next == predecessors_[b].size()) {
				order.push_back(b);
				path.pop_back();
				continue;
			}
			uint32_t p = predecessors_[b][next++];
			if (!seen[p]) {
				seen[p] = true;
				path.push_back({p, 0});
			}
		}
		return order;
	}

	void postdominate()
	{
		auto order = postorder();
		std::vector<uint32_t> rank(end() + 1, 0);
		for (uint32_t i = 0; i < order.size(); i++)
			rank[order[i]] = i;
		nearest_.assign(end() + 1, no_index);
		nearest_[end()] = end();
		auto meet = [&](uint32_t a, uint32_t b) {
			while (a != b) {
				while (rank[a] < rank[b])
					a = nearest_[a];
				while (rank[b] < rank[a])
					b = nearest_[b];
			}
			return a;
		};
		for (bool changed = true; changed;) {
			changed = false;
			for (auto b = order.rbegin(); b != order.rend(); b++) {
				uint32_t found = no_index;
				for (uint32_t s : successors_[*b])
					if (nearest_[s] != no_index)
						found = found == no_index ? s : meet(found, s);
				if (*b == end() || found == nearest_[*b])
					continue;
				nearest_[*b] = found;
				changed = true;
			}
		}
	}

	const code &code_;
	const program &program_;
	std::vector<uint32_t> first_, block_of_; // the first operation of a block, and the block of an operation
	std::vector<std::vector<uint32_t>> successors_, predecessors_;
	std::vector<uint32_t> nearest_; // the nearest postdominator of a block
};

} // namespace

void find_reconvergence(code &c, const program &p)
{
	flow f(c, p);
	for (uint32_t i = 0; i < c.ops.size(); i++)
		if (c.ops[i].action == action::branch || c.ops[i].action == action::indexed_branch)
			c.ops[i].reconverge = f.meeting_point(i);
}

} // namespace het::ptx::simt
