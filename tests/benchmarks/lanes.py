"""Judges sequences that move values, from the rules in docs/tiers.md alone: peaks of device and tiers, and the time."""


def ceil_div(a, b):
    return -(-a // b)


class Judge:
    """One sequence of remat-sequence/2. After run(): peak, tier_peaks, time, and wrong, a list of sentences."""

    def __init__(self, problem, steps):
        self.steps, self.wrong = steps, []
        self.nodes = {node["id"]: node for node in problem["nodes"]}
        self.outputs = problem.get("outputs", [])
        self.tiers = {tier["name"]: tier for tier in problem.get("tiers", [])}
        self.size, self.made, self.owner, self.view, self.in_place = {}, {}, {}, {}, {}
        for node in problem["nodes"]:
            results = node.get("results", [node]) if node.get("results") or "bytes" in node or "viewOf" in node else []
            self.made[node["id"]] = [result["id"] for result in results]
            for result in results:
                name = result["id"]
                self.size[name], self.owner[name] = result.get("bytes", 0), node["id"]
                self.view[name], self.in_place[name] = result.get("viewOf"), result.get("inPlaceOf")

    def root(self, name):
        while self.view[name]:
            name = self.view[name]
        return name

    def home(self, name):
        home = self.nodes[self.owner[self.root(name)]].get("home", "device")
        return None if home == "device" else home

    def stays(self, name):
        return self.nodes[self.owner[self.root(name)]].get("resident", False) and not self.home(name)

    def run(self):
        self.find_places()
        if not self.wrong:
            self.find_time()
        return self

    def say(self, at, what):
        self.wrong.append(f"step {at}: {what}")

    def find_places(self):
        """Blocks as [bytes, first step, last step, place], by who uses them when."""
        end = len(self.steps)
        blocks, replaced = [], []
        current, storing, copy, unread, count = {}, {}, {}, {}, {}

        def block(size, at, place=None):
            blocks.append([size, at, at, place])
            return blocks[-1]

        for name in self.size:
            if self.home(name) and self.root(name) == name:
                copy[name] = block(self.size[name], 0, self.home(name))
                copy[name][2] = end
        changed = set()
        for at, step in enumerate(self.steps):
            if isinstance(step, str):
                node = self.nodes[step]
                count[step] = count.get(step, 0) + 1
                for source in [*node.get("inputs", []), *node.get("writes", [])]:
                    if self.stays(source):
                        continue
                    if source not in current:
                        self.say(at, f"{step} needs {source}, which is not there")
                        continue
                    current[source][2] = at
                    if source in unread:
                        unread[source][2] = max(unread[source][2], at)
                        del unread[source]
                for written in node.get("writes", []):
                    if self.home(written):
                        changed.add(written)
                fresh = {}
                for name in self.made[step]:
                    if self.stays(name):
                        continue
                    if self.view[name]:
                        current[name] = current[self.view[name]]
                    else:
                        fresh[name] = block(self.size[name], at)
                        if self.in_place[name] and not self.stays(self.in_place[name]):
                            replaced.append((fresh[name], current[self.in_place[name]]))
                current.update(fresh)
            elif "store" in step:
                name = step["store"]
                if name not in current or name in storing or step["tier"] not in self.tiers or self.view[name]:
                    self.say(at, f"{name} cannot be stored")
                    continue
                current[name][2] = at
                storing[name] = current[name]
                if self.home(name):
                    changed.discard(name)
                else:
                    copy[name] = block(self.size[name], at, step["tier"])
                    copy[name].append("awaits")
            elif "await" in step:
                name = step["await"]
                if name not in storing:
                    self.say(at, f"{name} is not being stored")
                    continue
                storing.pop(name)[2] = at
                if not self.home(name):
                    copy[name][2] = max(copy[name][2], at)
                    copy[name][4:] = []
            else:
                name = step["fetch"]
                if name not in copy or name in unread or name in changed:
                    self.say(at, f"{name} cannot be fetched")
                    continue
                current[name] = block(self.size[name], at)
                unread[name] = copy[name]
                copy[name][4:] = []
        for name in unread:
            self.wrong.append(f"{name} is fetched and never read")
        for name in changed:
            self.wrong.append(f"{name} has changed and is not stored")
        for one in storing.values():
            one[2] = end
        for one in blocks:
            if len(one) > 4:
                one[2] = end
        for name in self.outputs:
            if name in current:
                current[name][2] = end
        for name, node in self.nodes.items():
            once = (not node.get("recomputable", True) or node.get("phase") == "update" or node.get("writes")
                    or node.get("pin") == "retain")
            if not node.get("resident") and (name not in count or count[name] > 1 and once):
                self.wrong.append(f"{name} runs {count.get(name, 0)} times")
        self.add_up(blocks, replaced)

    def add_up(self, blocks, replaced):
        taken = set()
        for fresh, old in replaced:
            if old[0] == fresh[0] and old[1] < fresh[1] == old[2] and id(old) not in taken:
                taken.add(id(old))
                fresh[1] += 1
        live = {place: [0] * (len(self.steps) + 2) for place in [None, *self.tiers]}
        for one in blocks:
            if one[1] <= one[2]:
                live[one[3]][one[1]] += one[0]
                live[one[3]][min(one[2], len(self.steps) - 1) + 1] -= one[0]
        resident = sum(size for name, size in self.size.items() if self.stays(name) and not self.view[name])
        self.tier_peaks = {}
        for place, changes in live.items():
            total, most = 0, 0
            for at in range(len(self.steps)):
                total += changes[at]
                step = self.steps[at]
                work = self.nodes[step].get("workspaceBytes", 0) if place is None and isinstance(step, str) else 0
                most = max(most, total + work)
            if place is None:
                self.peak = resident + most
            else:
                self.tier_peaks[place] = most
                if most > self.tiers[place]["bytes"]:
                    self.wrong.append(f"tier {place} holds {most} bytes")

    def find_time(self):
        """Longest paths: each step's end is a number once all it depends on have theirs."""
        clock = sum(node["cost"] for node in self.nodes.values() if node.get("resident"))
        lane, stored, fetched, tier = {}, {}, {}, {}
        self.computing, self.interference = clock, 0
        for step in self.steps:
            if isinstance(step, str):
                node = self.nodes[step]
                for source in [*node.get("inputs", []), *node.get("writes", [])]:
                    clock = max(clock, fetched.get(source, 0))
                clock += node["cost"]
                self.computing += node["cost"]
                for name in self.made[step]:
                    fetched.pop(name, None)
            elif "store" in step:
                name = step["store"]
                tier[name] = step["tier"]
                stored[name] = self.move(lane, "store", name, step["tier"], max(clock, fetched.get(name, 0)))
                clock += self.interfere(name, step["tier"])
            elif "await" in step:
                clock = max(clock, stored[step["await"]])
            else:
                name = step["fetch"]
                place = tier.get(name, self.home(name))
                fetched[name] = self.move(lane, "fetch", name, place, max(clock, stored.get(name, 0)))
                clock += self.interfere(name, place)
        self.time = max([clock, *lane.values()])

    def move(self, lane, way, name, place, ready):
        tier = self.tiers[place]
        nanos = ceil_div(self.size[name] * 10**9, tier[way + "BytesPerSecond"]) + tier.get("latencyNanos", 0)
        begin = max(ready, lane.get((place, way), 0))
        lane[place, way] = begin + nanos
        return begin + nanos

    def interfere(self, name, place):
        lost = ceil_div(self.size[name] * self.tiers[place].get("interferenceNanosPerMegabyte", 0), 10**6)
        self.interference += lost
        return lost


def check(problem, answer):
    """What is wrong with an answer of remat solve with tiers: its steps, or what it claims of them."""
    judge = Judge(problem, answer["steps"]).run()
    if judge.wrong:
        return judge.wrong
    wrong = []
    found = {"peakBytes": judge.peak, "cost": judge.time}
    for field, value in found.items():
        if answer[field] != value:
            wrong.append(f"{field} is said to be {answer[field]} and is {value}")
    for tier in answer["transfers"]["tiers"]:
        if tier["peakBytes"] != judge.tier_peaks[tier["name"]]:
            wrong.append(f"tier {tier['name']} is said to use {tier['peakBytes']} and uses {judge.tier_peaks}")
    exposed = judge.time - judge.computing - judge.interference
    if answer["transfers"]["exposedNanos"] != exposed:
        wrong.append(f"exposed are {exposed} ns")
    if answer["transfers"].get("interferenceNanos", 0) != judge.interference:
        wrong.append(f"interference takes {judge.interference} ns")
    if answer.get("budgetBytes") is not None and judge.peak > answer["budgetBytes"]:
        wrong.append(f"{judge.peak} bytes exceed the budget of {answer['budgetBytes']}")
    if answer["lowerBoundCost"] > answer["cost"]:
        wrong.append("takes less than its lower bound")
    return wrong
