#!/usr/bin/env python3
"""Ends ranks that are processes in every way that clusters do, and holds what they say and leave to what is promised.

    failures.py kills [N [SEED [STAGES]]]
                                   N kills, 200 unless told otherwise, of one rank, of the first, of all, on 2 and 4 ranks by
                                   MPI and Gloo, at random moments: while they save, compute, or still find each other.
                                   Five behind each other on one run, which then goes on to the end on another number of
                                   ranks, and has to come to the state of a run that nothing happened to. Some five
                                   seconds each. With so many STAGES, of one rank and of two
    failures.py restarts           --restarts beside a killer who comes every five seconds
    failures.py rows [ROW...]      stopped and interrupted ranks, full disks, losses that are no number, links that go
                                   down, ports that are taken, files that eight processes unpack at once

Prints tables in Markdown, and ends with 1 where something is not as promised. Links need root; Gloo has to be built:
mvn -Pgloo -pl runtime/gloo -am -DskipTests package
"""

import collections
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

import failure_rows
from jobs import Saved, kill, state, train, wait_until
from planning import ROOT

MODEL = (
    f"{ROOT}/samples/gpt.model", "--set", "B=8,T=8,vocab=300,width=16,depth=1,heads=2,context=8",
    "--micro-batches", "8", "--data", "synthetic", "--json",
)  # fmt: skip
GLOO = (ROOT / "runtime/gloo/target/engine").is_dir()
ENGINES = [*(["mpi"] if shutil.which("mpirun") else []), *(["gloo"] if GLOO else [])]
WHO = ("one", "first", "all")
LEVELS = ("none", "optimizer", "parameters")
# Of them a run takes so many before it goes on to its end.
KILLS_OF_A_RUN = 5
# Seconds in which all have to be gone.
GONE = 2
# Until ranks that do not come are given up; those that MPI joins wait as long as it does.
JOIN = ("--join-timeout", "20")


SCHEDULES = ("auto", "1f1b", "gpipe", "zb")


def processes(engine, ranks):
    return ("--ranks", ranks, "--processes", "--transport", engine)


def named(err, ranks):
    """The processes that are said to be gone. An engine may end others for one that is gone before that is seen: these are
    named together."""
    one = r"(?:stage \d+ of rank|stage|ranks?) \d+(?:, \d+)*"
    said = re.search(rf"({one}) .*?has (?:ended|said nothing)(?: .*; soon after it (.*?) ended, too)?", err)
    if not said:
        return set()
    told = f"{said[1]}, {said[2] or ''}"
    of_stages = {int(stage) * ranks + int(rank) for stage, rank in re.findall(r"stage (\d+) of rank (\d+)", told)}
    return of_stages or {int(number) for number in re.findall(r"\d+", told)}


class Kills:
    def __init__(self, folder, seed, stages):
        self.folder = folder
        self.stages = stages
        self.random = random.Random(seed)
        self.failed = []
        self.rows = collections.defaultdict(list)

    def fail(self, what):
        self.failed.append(what)
        print(f"failures: {what}", file=sys.stderr, flush=True)

    def all(self, count):
        for first in range(0, count, KILLS_OF_A_RUN):
            saved = Saved(self.folder / f"run{first}")
            for number in range(first, min(count, first + KILLS_OF_A_RUN)):
                self.one(saved, number)
            self.go_on(saved, f"kills {first} to {number}")
            shutil.rmtree(saved.folder, ignore_errors=True)

    def one(self, saved, number):
        engine = ENGINES[number % len(ENGINES)]
        ranks = self.random.choice((2, 4) if self.stages == 1 else (1, 2))
        who = WHO[number // len(ENGINES) % len(WHO)]
        before = saved.step()
        # The last of a run's kills comes while ranks still start.
        early = number % KILLS_OF_A_RUN == KILLS_OF_A_RUN - 1
        words = [*MODEL, "--steps", 1000000, "--save", saved.folder, "--save-every", self.random.choice((1, 1, 4))]
        words += processes(engine, ranks)
        level = self.random.choice(LEVELS)
        words += ["--shard", level] if ranks > 1 else []
        words += ["--resume", saved.folder] if before else []
        if self.stages > 1:
            words += ["--stages", self.stages, "--schedule", self.random.choice(SCHEDULES)]
        job = train(*words, *(JOIN if engine == "gloo" else ()))
        shape = f"{ranks} ranks" if self.stages == 1 else f"{self.stages} stages of {ranks} ranks"
        what = f"kill {number} ({who} of {shape} by {engine}{', early' if early else ''})"
        try:
            self.end(job, saved, engine, ranks, who, early, before, what)
        finally:
            job.kill()

    def end(self, job, saved, engine, ranks, who, early, before, what):
        count = ranks * self.stages
        here = wait_until(lambda: len(found := job.ranks()) == count and found, 60, 0.05)
        if not here:
            return self.fail(f"{what}: not all ranks start: {job.end(1)[2]}")
        if not early and not wait_until(lambda: saved.step() > before, 60, 0.02):
            return self.fail(f"{what}: no checkpoint: {job.end(1)[2]}")
        time.sleep(self.random.random() * (1.5 if early else 0.6))
        first, another = 0, self.random.randrange(1, count)
        victims = {"one": [another], "first": [first], "all": range(count)}[who]
        saving = bool(saved.left_over())
        since = time.monotonic()
        for rank in victims:
            kill(here[rank])
        seconds = job.seconds_to_go(since, 30)
        code, _, err = job.end(1)
        # Who is ended before ranks are joined is known to mpirun alone.
        right = bool(named(err, ranks) & set(victims)) or early and "a rank has ended before" in err
        moment = "early" if early else "saving" if saving else "later"
        self.rows[engine, who, moment].append((seconds, code, right))
        if code != 9 or not right or seconds is None or seconds > GONE:
            took = "never" if seconds is None else f"in {seconds:.1f} s"
            said = " / ".join(err.strip().splitlines()[-3:]) or "nothing"
            self.fail(f"{what}, {moment}: all gone {took}, exit code {code}, said: {said}")
        if saved.step() < before:
            self.fail(f"{what}: step {before} was saved, and {saved.step()} is left")
        return None

    def go_on(self, saved, what):
        steps = saved.step() + 2
        ranks = self.random.choice((1, 2, 4, 8))
        stages = self.random.choice((1, self.stages))
        resumed = ("--save", saved.folder, "--resume", saved.folder) if saved.meta() else ()
        shape = ("--ranks", ranks, *(("--stages", stages) if stages > 1 else ()))
        again = train(*MODEL, "--steps", steps, *shape, *resumed).end()
        whole = train(*MODEL, "--steps", steps).end()
        if state(again[1]) is None or state(again[1]) != state(whole[1]):
            self.fail(f"{what}: step {steps} by {' '.join(map(str, shape))} is another state: {again[2]}{whole[2]}")
        if saved.left_over():
            self.fail(f"{what}: {saved.left_over()} are left over")

    def tell(self):
        print("| by | killed | when | kills | exit code 9 | named | gone after, median | most |")
        print("|---|---|---|---:|---:|---:|---:|---:|")
        for (engine, who, moment), kills in sorted(self.rows.items()):
            times = sorted(float("inf") if seconds is None else seconds for seconds, _, _ in kills)
            print(
                f"| {engine} | {who} | {moment} | {len(kills)} | {sum(code == 9 for _, code, _ in kills)}"
                f" | {sum(right for _, _, right in kills)} | {times[len(times) // 2]:.2f} s | {times[-1]:.2f} s |"
            )


def kills(folder, count=200, seed=1, stages=1):
    run = Kills(folder, int(seed), int(stages))
    run.all(int(count))
    run.tell()
    return run.failed


def restarts(folder, steps=4000, ranks=8):
    """A run that loses a rank every five seconds, until one is left, ends as if it had not."""
    failed = []
    whole = state(train(*MODEL, "--steps", steps).end()[1])
    print("| by | kills | restarts | exit code | seconds | state | steps logged |")
    print("|---|---:|---:|---:|---:|---|---:|")
    for engine in ENGINES:
        saved, log = folder / f"restarts-{engine}", folder / f"log-{engine}"
        words = (*MODEL, "--steps", steps, "--save", saved, "--save-every", 20, "--log", log, "--restarts", 9)
        job = train(*words, *processes(engine, ranks))
        killed, killer = 0, random.Random(steps)
        while not wait_until(lambda: job.process.poll() is not None, 5):
            left = job.ranks()
            if len(left) > 1 and killed < 9:
                kill(left[killer.choice(sorted(left))])
                killed += 1
            if time.monotonic() - job.began > 600:
                break
        code, out, err = job.end(1)
        logged = [line.split(",")[0] for line in (log / "steps.csv").read_text().splitlines()[1:]]
        once = logged == [str(step) for step in range(1, steps + 1)]
        right = state(out) == whole
        print(
            f"| {engine} | {killed} | {err.count('starts again with')} | {code}"
            f" | {time.monotonic() - job.began:.0f} | {'same' if right else 'DIFFERS'}"
            f" | {len(logged)}{'' if once else ', NOT each once'} |",
            flush=True,
        )
        if code or not right or not once:
            failed.append(f"restarts by {engine}")
            print(err, file=sys.stderr)
    return failed


def rows(folder, *names):
    return failure_rows.run(folder, MODEL, ENGINES, names)


def main():
    ways = {"kills": kills, "restarts": restarts, "rows": rows}
    if len(sys.argv) < 2 or sys.argv[1] not in ways or not ENGINES:
        print(__doc__ if ENGINES else "failures: neither MPI nor Gloo is here", file=sys.stderr)
        return 2
    # What it has started ends with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as folder:
        failed = ways[sys.argv[1]](pathlib.Path(folder), *sys.argv[2:])
    for what in failed:
        print(f"failures: {what}", file=sys.stderr)
    print(f"{len(failed)} not as promised")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
