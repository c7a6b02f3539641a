#!/usr/bin/env python3
"""What a step needs at least if no gradient is computed twice, beside the floor and the smallest plan that remat knows.

At each node that runs once, some of the others that run once have run before: all that it waits for, and none that
waits for it. What they made for nodes behind is in memory beside what the node itself needs. Of all ways to divide the
others a minimum cut takes the least, so that it holds in any order, and whatever the forward computes again.

    tests/benchmarks/floor_cut.py                          # samples of every kind
    tests/benchmarks/floor_cut.py gpt B=8,T=64             # one
"""

import argparse
import collections
import json
import pathlib
import re
import tempfile

from planning import Run, size

CASES = [("gpt", "B=8,T=64"), ("transformer-encdec", "B=8,S=64,T=64"), ("lstm", "B=64,T=16")]
INFINITE = 1 << 60
# Nodes at which the cut is taken: those that need most, and some of all others.
MOST, OTHERS = 20, 60


class Network:
    """Maximum flow by blocking flows (Dinic, 1970)."""

    def __init__(self, count):
        self.edges = [[] for _ in range(count)]

    def add(self, source, target, capacity):
        self.edges[source].append([target, capacity, len(self.edges[target])])
        self.edges[target].append([source, 0, len(self.edges[source]) - 1])

    def flow(self, source, sink):
        total = 0
        while True:
            level = self.levels(source)
            if sink not in level:
                return total
            following = [0] * len(self.edges)
            while pushed := self.augment(source, sink, level, following):
                total += pushed

    def levels(self, source):
        level = {source: 0}
        queue = collections.deque([source])
        while queue:
            at = queue.popleft()
            for target, capacity, _ in self.edges[at]:
                if capacity and target not in level:
                    level[target] = level[at] + 1
                    queue.append(target)
        return level

    def augment(self, source, sink, level, following):
        path, at = [], source
        while at != sink:
            if following[at] == len(self.edges[at]):
                if not path:
                    return 0
                at = path.pop()
                following[at] += 1
                continue
            target, capacity, _ = self.edges[at][following[at]]
            if capacity and level.get(target) == level[at] + 1:
                path.append(at)
                at = target
            else:
                following[at] += 1
        edges = [self.edges[node][following[node]] for node in path]
        pushed = min(edge[1] for edge in edges)
        for edge in edges:
            edge[1] -= pushed
            self.edges[edge[0]][edge[2]][1] += pushed
        return pushed


class Step:
    """A problem's nodes by number, with storages instead of views."""

    def __init__(self, problem):
        self.nodes = problem["nodes"]
        self.view, self.size, self.maker, self.made = {}, {}, {}, []
        for number, node in enumerate(self.nodes):
            results = node.get("results") or ([node] if "bytes" in node or "viewOf" in node else [])
            self.made.append([result["id"] for result in results if "viewOf" not in result])
            for result in results:
                self.maker[result["id"]] = number
                self.view[result["id"]] = result.get("viewOf")
                self.size[result["id"]] = result.get("bytes", 0)
        self.reads = [node.get("inputs", []) + node.get("writes", []) for node in self.nodes]
        self.uses = [{self.storage(value) for value in values} for values in self.reads]
        self.readers = collections.defaultdict(set)
        for number, storages in enumerate(self.uses):
            for storage in storages:
                self.readers[storage].add(number)
        self.kept = {self.storage(value) for value in problem.get("outputs", [])}
        self.residents = sum(
            count for value, count in self.size.items() if self.resident(value) and not self.view[value])

    def storage(self, value):
        while self.view[value]:
            value = self.view[value]
        return value

    def resident(self, value):
        return self.nodes[self.maker[value]].get("resident", False)

    def once(self, number):
        node = self.nodes[number]
        forward = node.get("phase", "forward") == "forward"
        return not node.get("resident") and not (forward and node.get("recomputable", True))

    def need(self, number):
        """Bytes of what a node reads, makes and works in."""
        own = self.nodes[number].get("workspaceBytes", 0)
        own += sum(self.size[value] for value in self.uses[number] if not self.resident(value))
        for result in self.nodes[number].get("results") or [self.nodes[number]]:
            over = result.get("inPlaceOf")
            if "viewOf" not in result and not (over and self.storage(over) in self.uses[number]):
                own += result.get("bytes", 0)
        return own

    def beside(self, number):
        """Bytes of what is in memory at a node beside that, at least."""
        waiting = [
            value for value, count in self.size.items()
            if count and not self.view[value] and self.once(self.maker[value])
            and self.maker[value] != number and value not in self.uses[number]
        ]
        source, sink = range(len(self.nodes) + len(waiting), len(self.nodes) + len(waiting) + 2)
        network = Network(sink + 1)
        network.add(source, number, INFINITE)
        for node, values in enumerate(self.reads):
            for value in values:
                network.add(node, self.maker[value], INFINITE)
        for value in self.made[number]:
            for reader in self.readers[value]:
                network.add(reader, sink, INFINITE)
        for place, value in enumerate(waiting, len(self.nodes)):
            network.add(self.maker[value], place, self.size[value])
            for reader in self.readers[value]:
                network.add(place, reader, INFINITE)
            if value in self.kept:
                network.add(place, sink, INFINITE)
        return network.flow(source, sink)

    def floor(self):
        computed = [number for number, node in enumerate(self.nodes) if not node.get("resident")]
        largest = self.residents + max(map(self.need, computed))
        some = sorted(filter(self.once, computed), key=lambda number: (-self.need(number), number))
        some = some[:MOST] + some[MOST::max(1, len(some) // OTHERS)]
        return max(largest, *(self.residents + self.need(number) + self.beside(number) for number in some))


def measure(sample, settings, folder):
    common = ["plan", f"samples/{sample}.model", "--set", settings]
    kept = Run(*common, "--strategy", "keep-all", "--dump-dir", folder).answer["memory"]
    problem = json.loads(next(pathlib.Path(folder).glob("*-problem.txt")).read_text())
    smallest = int(re.search(r"smallest found needs (\d+) bytes", Run(*common, "--budget", "1MiB").notes).group(1))
    found = [kept["keepAllArenaBytes"], kept["floorBytes"], Step(problem).floor(), smallest]
    above = f"{smallest / found[2] - 1:.3%}".replace("%", " %")
    print(f"| {sample} | `{settings}` | " + " | ".join(map(size, found)) + f" | {above} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sample", nargs="?")
    parser.add_argument("settings", nargs="?", default="B=1")
    arguments = parser.parse_args()
    print("| sample | `--set` | keep all | floor | if gradients are computed once | smallest found | above that |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for sample, settings in [(arguments.sample, arguments.settings)] if arguments.sample else CASES:
        with tempfile.TemporaryDirectory() as folder:
            measure(sample, settings, folder)


if __name__ == "__main__":
    main()
