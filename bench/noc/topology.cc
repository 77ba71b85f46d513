// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/topology.h"

#include <bit>
#include <stdexcept>

namespace noc
{

namespace
{

void link_both(topology &t, unsigned a, uint8_t port_a, unsigned b, uint8_t port_b, unsigned cycles)
{
	t.links.push_back({uint16_t(a), uint16_t(b), port_a, port_b, uint8_t(cycles)});
	t.links.push_back({uint16_t(b), uint16_t(a), port_b, port_a, uint8_t(cycles)});
}

// @return number of the first.
unsigned add_routers(topology &t, unsigned width, unsigned height, unsigned ports, unsigned layer)
{
	const unsigned first = unsigned(t.routers.size());
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++)
			t.routers.push_back({uint8_t(ports), uint8_t(layer), uint8_t(x), uint8_t(y)});
	return first;
}

unsigned add_mesh(topology &t, unsigned width, unsigned height, unsigned ports, unsigned layer)
{
	const unsigned first = add_routers(t, width, height, ports, layer);
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x < width; x++) {
			const unsigned r = first + y * width + x;
			if (x + 1 < width)
				link_both(t, r, east, r + 1, west, 1);
			if (y + 1 < height)
				link_both(t, r, south, r + width, north, 1);
		}
	return first;
}

unsigned add_double_butterfly(topology &t, unsigned width, unsigned height, unsigned ports, unsigned layer)
{
	if (!std::has_single_bit(height) || height < 2 || width != 2 * unsigned(std::countr_zero(height)))
		throw std::invalid_argument("a double butterfly has 4 x 4 routers, or 2 x 2, or 6 x 8");
	const unsigned first = add_routers(t, width, height, ports, layer);
	for (unsigned y = 0; y < height; y++)
		for (unsigned x = 0; x + 1 < width; x++) {
			const unsigned r = first + y * width + x;
			const unsigned across = first + (y ^ 1u << row_bit_behind(x, width)) * width + x + 1;
			link_both(t, r, east, r + 1, west, 1);
			link_both(t, r, across_east, across, across_west, 1);
		}
	return first;
}

} // namespace

topology concentrated_mesh(unsigned width, unsigned height, unsigned cx, unsigned cy)
{
	topology t;
	t.name = "cmesh";
	add_mesh(t, width, height, first_local + cx * cy, 0);
	for (unsigned y = 0; y < height * cy; y++)
		for (unsigned x = 0; x < width * cx; x++) {
			const unsigned at = y / cy * width + x / cx;
			const unsigned port = first_local + y % cy * cx + x % cx;
			t.terminals.push_back({uint16_t(at), uint8_t(port), 1, 1, false});
		}
	return t;
}

topology mesh(unsigned width, unsigned height)
{
	topology t = concentrated_mesh(width, height, 1, 1);
	t.name = "mesh";
	return t;
}

topology two_layers(const two_layer_options &o)
{
	constexpr unsigned side = 2; // of a grid, in cores
	topology t = mesh(o.width, o.height);
	t.name = "two-layers";
	for (router &r : t.routers)
		r.ports = port_down + 1;
	const unsigned width = o.width / side, height = o.height / side;
	const unsigned ports = port_up + side * side + o.controller_ejections;
	const unsigned below = o.below == interposer::mesh ? add_mesh(t, width, height, ports, 1)
							   : add_double_butterfly(t, width, height, ports, 1);
	t.below = o.below;
	for (unsigned y = 0; y < o.height; y++)
		for (unsigned x = 0; x < o.width; x++) {
			const unsigned grid = below + y / side * width + x / side;
			const unsigned port = port_up + y % side * side + x % side;
			link_both(t, y * o.width + x, port_down, grid, uint8_t(port), o.z_cycles);
		}
	const uint8_t controller = port_up + side * side;
	for (unsigned r = below; r < t.routers.size(); r++)
		if (const unsigned x = t.routers[r].x; x == 0 || x + 1 == width)
			t.terminals.push_back({uint16_t(r), controller, uint8_t(o.controller_ejections), 1, true});
	return t;
}

} // namespace noc
