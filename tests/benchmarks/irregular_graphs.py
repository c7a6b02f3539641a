#!/usr/bin/env python3
"""Graphs of random layers of forward nodes, as docs/planning.md writes the recipes down.

Irregular ones have edges between any two layers, narrow ones mostly between neighbours, from one source to one sink.

    tests/benchmarks/irregular_graphs.py irregular 250 1 irregular.json    # 250 nodes, seed 1
    tests/benchmarks/irregular_graphs.py narrow 250 1 narrow.json
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
    return problem(f"irregular-{nodes}-{seed}", nodes, edges,
                   lambda: (1 + random.below(100), 256 * (1 + random.below(100))))


def narrow(nodes, seed):
    """The same with 20 to 50 layers, one source, one sink, and nine of ten edges from a layer to the next."""
    random = SplitMix(seed)
    depth = 20 + random.below(31)
    sizes = [1] + [0] * (depth - 2) + [1]
    for _ in range(nodes - 2):
        sizes[1 + random.below(depth - 2)] += 1
    layers = numbered(sizes)
    layer = [at for at, members in enumerate(layers) for _ in members]
    edges = set()
    for before, members in zip(layers, layers[1:]):
        for reader in members:
            edges.add((before[random.below(len(before))], reader))
    read = {source for source, _ in edges}
    for source in range(nodes - 1):
        if source not in read:
            behind = layers[layer[source] + 1]
            edges.add((source, behind[random.below(len(behind))]))
    while len(edges) < edges_of(nodes):
        source = random.below(nodes - 1)
        reader = layer[source] + (1 if random.below(10) < 9 else 2 + random.below(39))
        if reader < len(layers):
            # The first nodes of a layer read more than the last.
            edges.add((source, layers[reader][random.below(1 + random.below(len(layers[reader])))]))
    return problem(f"narrow-{nodes}-{seed}", nodes, edges, lambda: (1 + random.below(1000), 10 + random.below(7991)))


def problem(name, nodes, edges, drawn):
    """Nodes with their edges, and with costs and bytes as they are drawn; what no node reads is an output."""
    inputs = [[] for _ in range(nodes)]
    for source, reader in sorted(edges):
        inputs[reader].append(f"n{source}")
    made = []
    for node in range(nodes):
        cost, count = drawn()
        made.append({"id": f"n{node}", "cost": cost, "bytes": count, "inputs": inputs[node]})
    read = {source for source, _ in edges}
    return {"format": "remat-problem/1", "name": name, "nodes": made,
            "outputs": [f"n{node}" for node in range(nodes) if node not in read]}


def layers_of(nodes, random):
    """Numbers of the nodes of every layer, in order; the first holds the source alone."""
    sizes = [0] * (max(3, round(nodes ** 0.5)) - 1)
    for _ in range(nodes - 1):
        sizes[random.below(len(sizes))] += 1
    return numbered([1, *sizes])


def numbered(sizes):
    """Numbers of the nodes of layers of so many, those without any left out."""
    layers, end = [], 0
    for size in filter(None, sizes):
        layers.append(range(end, end + size))
        end += size
    return layers


RECIPES = {"irregular": irregular, "narrow": narrow}


def write(nodes, seed, folder, recipe="irregular"):
    """Writes one problem and returns its file."""
    file = pathlib.Path(folder) / f"{recipe}-{nodes}-{seed}.json"
    file.write_text(json.dumps(RECIPES[recipe](nodes, seed)))
    return file


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in RECIPES:
        sys.exit("usage: irregular_graphs.py irregular|narrow NODES SEED FILE")
    pathlib.Path(sys.argv[4]).write_text(json.dumps(RECIPES[sys.argv[1]](int(sys.argv[2]), int(sys.argv[3]))))
