// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// LUD of Rodinia: a matrix becomes a lower and an upper one in place, by tiles: the one on the diagonal, then those of
// its row and column, then all behind them. @first: the row of the tile on the diagonal.

#define TILE 16

kernel void lud_diagonal(global float *m, uint n, uint first)
{
	local float tile[TILE][TILE];
	uint t = get_local_id(0);
	for (uint i = 0; i < TILE; i++)
		tile[i][t] = m[(first + i) * n + first + t];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i + 1 < TILE; i++) {
		if (t > i) {
			for (uint k = 0; k < i; k++)
				tile[t][i] -= tile[t][k] * tile[k][i];
			tile[t][i] /= tile[i][i];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
		if (t > i) {
			for (uint k = 0; k <= i; k++)
				tile[i + 1][t] -= tile[i + 1][k] * tile[k][t];
		}
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	for (uint i = 0; i < TILE; i++)
		m[(first + i) * n + first + t] = tile[i][t];
}

// The first half of a group's threads has a tile of the row, the other one the tile of the column.
kernel void lud_perimeter(global float *m, uint n, uint first)
{
	local float diagonal[TILE][TILE], row[TILE][TILE], column[TILE][TILE];
	uint t = get_local_id(0), u = t % TILE, behind = first + (get_group_id(0) + 1) * TILE;
	for (uint i = 0; i < TILE; i++) {
		if (t < TILE) {
			diagonal[i][u] = m[(first + i) * n + first + u];
			row[i][u] = m[(first + i) * n + behind + u];
		} else {
			column[i][u] = m[(behind + i) * n + first + u];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (t < TILE) {
		for (uint i = 1; i < TILE; i++)
			for (uint k = 0; k < i; k++)
				row[i][u] -= diagonal[i][k] * row[k][u];
	} else {
		for (uint i = 0; i < TILE; i++) {
			for (uint k = 0; k < i; k++)
				column[u][i] -= column[u][k] * diagonal[k][i];
			column[u][i] /= diagonal[i][i];
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint i = 0; i < TILE; i++) {
		if (t < TILE)
			m[(first + i) * n + behind + u] = row[i][u];
		else
			m[(behind + i) * n + first + u] = column[i][u];
	}
}

kernel void lud_internal(global float *m, uint n, uint first)
{
	local float row[TILE][TILE], column[TILE][TILE];
	uint x = get_local_id(0), y = get_local_id(1);
	uint i = first + (get_group_id(1) + 1) * TILE + y, j = first + (get_group_id(0) + 1) * TILE + x;
	row[y][x] = m[(first + y) * n + j];
	column[y][x] = m[i * n + first + x];
	barrier(CLK_LOCAL_MEM_FENCE);
	float sum = 0;
	for (uint k = 0; k < TILE; k++)
		sum += column[y][k] * row[k][x];
	m[i * n + j] -= sum;
}
