#!/usr/bin/env python3
"""Irregular graphs: random layers of forward nodes with edges between any two, as docs/planning.md writes the recipe down.

    tests/benchmarks/irregular_graphs.py 250 1 irregular.json    # 250 nodes, seed 1
"""

import json
import pathlib
import sys

# Nodes and edges of the graphs that Bartan et al. (2023) report on.
EDGES = {100: 236, 250: 944, 500: 2_461, 1_000: 5_875}
EDGES_PER_NODE_ELSEWHERE = 6
WORD = (1 << 64) - 1


class SplitMix:
    """SplitMix64 (Steele, Lea and Flood, 2014), the same in every language."""

    def __init__(self, seed):
        self.state = seed & WORD

    def below(self, end):
        """A whole number from 0 to end - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & WORD
        mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB & WORD
        mixed ^= mixed >> 31
        return mixed * end >> 64


def edges_of(nodes):
    return EDGES.get(nodes, EDGES_PER_NODE_ELSEWHERE * nodes)


def irregular(nodes, seed):
    """A problem of so many nodes as remat-problem/1."""
    random = SplitMix(seed)
    layers = layers_of(nodes, random)
    layer = [at for at, members in enumerate(layers) for _ in members]
    edges = set()
    for reader in range(1, nodes):
        source = layers[random.below(layer[reader])]
        edges.add((source[random.below(len(source))], reader))
    while len(edges) < edges_of(nodes):
        a, b = sorted((random.below(nodes), random.below(nodes)))
        if layer[a] < layer[b]:
            edges.add((a, b))
    inputs = [[] for _ in range(nodes)]
    for source, reader in sorted(edges):
        inputs[reader].append(f"n{source}")
    made = [{"id": f"n{node}", "cost": 1 + random.below(100), "bytes": 256 * (1 + random.below(100)),
             "inputs": inputs[node]} for node in range(nodes)]
    read = {source for source, _ in edges}
    return {"format": "remat-problem/1", "name": f"irregular-{nodes}-{seed}", "nodes": made,
            "outputs": [f"n{node}" for node in range(nodes) if node not in read]}


def layers_of(nodes, random):
    """Numbers of the nodes of every layer, in order; the first holds the source alone."""
    sizes = [0] * (max(3, round(nodes ** 0.5)) - 1)
    for _ in range(nodes - 1):
        sizes[random.below(len(sizes))] += 1
    layers = [range(1)]
    for size in filter(None, sizes):
        layers.append(range(layers[-1].stop, layers[-1].stop + size))
    return layers


def write(nodes, seed, folder):
    """Writes one problem and returns its file."""
    file = pathlib.Path(folder) / f"irregular-{nodes}-{seed}.json"
    file.write_text(json.dumps(irregular(nodes, seed)))
    return file


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: irregular_graphs.py NODES SEED FILE")
    pathlib.Path(sys.argv[3]).write_text(json.dumps(irregular(int(sys.argv[1]), int(sys.argv[2]))))
