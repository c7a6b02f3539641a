#!/usr/bin/env python3
"""Wirings for samples/randwire.model, as random networks make them (Xie, Kirillov, Girshick and He, 2019).

    tests/benchmarks/random_wiring.py ws 32 1 3          # three stages of 32 nodes, for --set stages=…
    tests/benchmarks/random_wiring.py ba 12 1 2 | xargs -I{} ./remat plan samples/randwire.model --set B=8,stages={}

A stage is a list of nodes. Each lists what it reads: 0 is the stage's input, k the k-th node; the last lists what leaves.
"""

import json
import sys

from irregular_graphs import SplitMix

UNIT = 1 << 32


def erdos_renyi(nodes, random, chance=0.2):
    """Every pair with the same chance, until the graph is connected (Erdős and Rényi, 1959)."""
    while True:
        edges = {(a, b) for b in range(nodes) for a in range(b) if random.below(UNIT) < chance * UNIT}
        if connected(nodes, edges):
            return edges


def barabasi_albert(nodes, random, each=5):
    """A node after another, with so many edges to nodes by the number of theirs (Barabási and Albert, 1999)."""
    edges, ends = set(), []
    for new in range(each, nodes):
        read = set(range(each)) if new == each else set()
        while len(read) < each:
            read.add(ends[random.below(len(ends))])
        edges |= {(old, new) for old in read}
        ends += [*sorted(read), *[new] * each]
    return edges


def watts_strogatz(nodes, random, neighbours=4, chance=0.75):
    """A ring of near neighbours, each edge of which is led elsewhere with a chance (Watts and Strogatz, 1998)."""
    edges = {tuple(sorted((v, (v + step) % nodes))) for step in range(1, neighbours // 2 + 1) for v in range(nodes)}
    for step in range(1, neighbours // 2 + 1):
        for v in range(nodes):
            near = tuple(sorted((v, (v + step) % nodes)))
            if near in edges and random.below(UNIT) < chance * UNIT:
                free = [w for w in range(nodes) if w != v and tuple(sorted((v, w))) not in edges]
                if free:
                    edges.remove(near)
                    edges.add(tuple(sorted((v, free[random.below(len(free))]))))
    return edges


KINDS = {"er": erdos_renyi, "ba": barabasi_albert, "ws": watts_strogatz}


def connected(nodes, edges):
    reached, fresh = {0}, [0]
    while fresh:
        at = fresh.pop()
        near = {a + b - at for a, b in edges if at in (a, b)} - reached
        reached |= near
        fresh += near
    return len(reached) == nodes


def stage(kind, nodes, random):
    """Edges lead from lower to higher numbers; what has no edge in reads the input, what has none out leaves."""
    edges = KINDS[kind](nodes, random)
    wiring = [[a + 1 for a in range(b) if (a, b) in edges] or [0] for b in range(nodes)]
    return [*wiring, [a + 1 for a in range(nodes) if not any((a, b) in edges for b in range(a + 1, nodes))]]


def wiring(kind, nodes, seed, stages):
    random = SplitMix(seed)
    return [stage(kind, nodes, random) for _ in range(stages)]


if __name__ == "__main__":
    if len(sys.argv) != 5 or sys.argv[1] not in KINDS:
        sys.exit("usage: random_wiring.py er|ba|ws NODES SEED STAGES")
    print(json.dumps(wiring(sys.argv[1], *map(int, sys.argv[2:])), separators=(",", ":")))
