"""What the planning benchmarks share: runs ./remat, or what REMAT names, and judges a sequence anew."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFEASIBLE = 4


class Run:
    """One command: its JSON, or None where no plan fits, what it noted, seconds, and the most memory it had."""

    def __init__(self, *arguments):
        command = [os.environ.get("REMAT", "./remat"), *map(str, arguments), "--json"]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            begin = time.monotonic()
            process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err, text=True)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds = time.monotonic() - begin
            code = process.returncode = os.waitstatus_to_exitcode(status)
            self.cpu_seconds = usage.ru_utime + usage.ru_stime
            self.peak_bytes = usage.ru_maxrss * 1024
            out.seek(0)
            err.seek(0)
            self.notes = err.read()
            if code not in (0, INFEASIBLE):
                sys.exit(f"{' '.join(command)}\nended with {code}:\n{self.notes}")
            self.answer = json.load(out) if code == 0 else None


def percent(overhead, places=2):
    return f"{overhead:+.{places}%}".replace("%", " %")


def size(count):
    return f"{count / 1e9:.2f} GB" if count >= 1e9 else f"{count / 1e6:.1f} MB"


class Value:
    def __init__(self, fields, node):
        self.bytes = fields.get("bytes", 0)
        self.view_of = fields.get("viewOf")
        self.in_place_of = fields.get("inPlaceOf")
        self.resident = node.get("resident", False)


class Block:
    """Memory of one computation of one value."""

    def __init__(self, count):
        self.bytes = count
        self.reads = 0


def evaluate(problem, steps):
    """Peak, cost and what is wrong with a sequence of remat-problem/1, from the rules in docs/planning.md alone."""
    nodes = {node["id"]: node for node in problem["nodes"]}
    values, results, owner = {}, {}, {}
    for node in problem["nodes"]:
        made = node.get("results", [node]) if node.get("results") or "bytes" in node or "viewOf" in node else []
        results[node["id"]] = [result["id"] for result in made]
        for result in made:
            values[result["id"]] = Value(result, node)
            owner[result["id"]] = node["id"]
    wrong = []
    resident = sum(value.bytes for value in values.values() if value.resident)
    cost = sum(node["cost"] for node in problem["nodes"] if node.get("resident"))
    latest = {name: None for name, value in values.items() if value.resident}
    base = {name: name for name in latest}
    changes, version = {}, {}
    counts, trace = {}, []
    for at, name in enumerate(steps):
        node = nodes[name]
        cost += node["cost"]
        counts[name] = counts.get(name, 0) + 1
        if node.get("resident"):
            wrong.append(f"step {at}: {name} is resident")
        read = []
        for source in node.get("inputs", []):
            if source not in latest:
                wrong.append(f"step {at}: {name} reads {source} before it is computed")
                continue
            if version.get(source, 0) != changes.get(base.get(source), 0):
                wrong.append(f"step {at}: {name} reads {source} after {base[source]} has changed")
            first = counts.get(owner[source], 0) == 1 and nodes[owner[source]].get("pin") == "recompute"
            if first and (node.get("phase") == "backward" or counts[name] > 1):
                wrong.append(f"step {at}: {name} reads the first computation of {source}, which is pinned")
            if latest[source]:
                latest[source].reads += 1
                read.append(latest[source])
        for written in node.get("writes", []):
            changes[written] = changes.get(written, 0) + 1
        made = []
        for result in results[name]:
            value = values[result]
            if value.view_of:
                base[result] = base.get(value.view_of)
                version[result] = changes.get(base[result], 0)
                latest[result] = latest[value.view_of]
            else:
                block = Block(value.bytes)
                made.append((block, latest[value.in_place_of] if value.in_place_of else None))
                latest[result] = block
        trace.append((node, read, made))
    for name in problem.get("outputs", []):
        if latest.get(name):
            latest[name].reads += 1
    for name, node in nodes.items():
        count = counts.get(name, 0)
        once = (not node.get("recomputable", True) or node.get("phase") == "update" or node.get("writes")
                or node.get("pin") == "retain")
        if not node.get("resident") and (count == 0 or count > 1 and once):
            wrong.append(f"{name} runs {count} times")
    return peak(trace, resident), cost, wrong


def peak(trace, resident):
    live = most = resident
    for node, read, made in trace:
        dying = []
        for block in read:
            block.reads -= 1
            if block.reads == 0:
                dying.append(block)
        for block, replaced in made:
            if replaced is not None and replaced.bytes == block.bytes and replaced in dying:
                dying.remove(replaced)
                live -= replaced.bytes
            live += block.bytes
        most = max(most, live + node.get("workspaceBytes", 0))
        live -= sum(block.bytes for block in dying)
        live -= sum(block.bytes for block, _ in made if block.reads == 0)
    return most


def given_peak(problem):
    """The peak of the order in the file, every node once."""
    return evaluate(problem, [node["id"] for node in problem["nodes"] if not node.get("resident")])[0]


def floor(problem):
    """No sequence needs less: what one node reads, makes and works in, or all outputs, in memory together."""
    values = {}
    for node in problem["nodes"]:
        for result in node.get("results", [node]):
            values[result["id"]] = Value(result, node)

    def block(name):
        while values[name].view_of:
            name = values[name].view_of
        return name

    resident = {name for name, value in values.items() if value.resident}
    most = sum(values[name].bytes for name in resident | {block(name) for name in problem.get("outputs", [])})
    for node in problem["nodes"]:
        read = {block(name) for name in node.get("inputs", [])}
        made = {block(result["id"]) for result in node.get("results", [node])}
        reused = {block(values[name].in_place_of) for name in made
                  if values[name].in_place_of and values[block(values[name].in_place_of)].bytes == values[name].bytes}
        together = resident | (read - reused) | made
        most = max(most, sum(values[name].bytes for name in together) + node.get("workspaceBytes", 0))
    return most


def check(problem, answer):
    """What is wrong with an answer of remat solve: its steps, or what it claims of them."""
    found_peak, found_cost, wrong = evaluate(problem, answer["steps"])
    for field, found in (("peakBytes", found_peak), ("cost", found_cost)):
        if not wrong and answer[field] != found:
            wrong.append(f"{field} is said to be {answer[field]} and is {found}")
    if answer.get("budgetBytes") is not None and found_peak > answer["budgetBytes"]:
        wrong.append(f"{found_peak} bytes exceed the budget of {answer['budgetBytes']}")
    if answer["lowerBoundCost"] > answer["cost"]:
        wrong.append("costs less than its lower bound")
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: planning.py PROBLEM.json SEQUENCE.json")
    mistakes = check(*(json.loads(pathlib.Path(name).read_text()) for name in sys.argv[1:]))
    print("\n".join(mistakes) or "every claim holds")
    sys.exit(1 if mistakes else 0)
