#!/usr/bin/env python3
"""Two ranks, each with a processor of its own, in two network namespaces whose link has a rate that tc sets: whether a step
takes what plan says, what ranks bring, and what DistributedDataParallel's reducer does on the same processors and link.

    links.py plan [RATE...]     rates in Gbit/s, 0.2, 1 and 5 unless told otherwise. profile --link measures kernels and
                                link, plan --costs foretells: within 15 % of what a step then takes (by Gloo, and by
                                MPICH over TCP), and two ranks reach 0.8 of the efficiency that it foretells, beside two
                                processes that train apart with as many rows each
    links.py stages [RATE...]   two stages of the same model, a process on either end: within 15 % of what plan says,
                                and at 0.9 of its speed
    links.py reducer [RATE...]  beside libtorch's reducer over Gloo (tests/benchmarks/libtorch): bytes that leave a rank in
                                a step, and rows a second. In f32 no more bytes (but half a percent) and no fewer rows; in
                                bf16, gradients rounded too, at most 0.6 of the bytes and, where the link decides, 1.3
                                times the rows

Needs root, two processors and an idle machine: some ten minutes a rate. STEPS, WARM (how many do not count), TURNS and
PRECISIONS in the environment make it shorter: libtorch takes seconds a step in bf16 where a processor lacks it. Gloo has to be built (mvn -Pgloo -pl runtime/gloo -am
-DskipTests package), and for reducer the twins: mvn -Plibtorch -pl tests/benchmarks/libtorch -am process-classes.
Prints Markdown, and ends with 1 where something is not as asked for.
"""

import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile

import namespaces
from jobs import REMAT, Job
from planning import ROOT, Run
from step_time import Libtorch

ROWS = 16
# 29 MB of parameters. Of narrower layers, shares are filled up to whole thousands of elements.
SETTINGS = "T=64,vocab=2000,width=512,depth=2,heads=8,context=64"
# Beside what the reducer sends: what ranks say to each other each second, and the sums of a norm, 8 bytes of 4,096.
BESIDE = 1.005
MODEL = f"{ROOT}/samples/gpt.model"
RATES = ("0.2", "1", "5")
# Steps of a run, and how many of the first do not count: a JVM compiles kernels beside them, on the rank's one processor.
STEPS, WARM = int(os.environ.get("STEPS", 60)), int(os.environ.get("WARM", 40))
# Micro-batches where there are stages.
PIECES = 8
# Runs of each kind, in turns.
TURNS = int(os.environ.get("TURNS", 3))
PORT = 4711


def settings(rows):
    return f"B={rows},{SETTINGS}"


def pinned(rank):
    return ("taskset", "-c", str(rank))


def millis(out):
    """Of a step, behind those that compile."""
    times = [json.loads(line)["millis"] for line in out.splitlines() if '"millis"' in line]
    return statistics.median(times[WARM:] or times)


def ended(jobs):
    """What each of them has printed."""
    ends = [job.end(900) for job in jobs]
    for code, _, err in ends:
        if code != 0:
            raise RuntimeError(f"exit code {code}: {err.strip()[-600:]}")
    return [out for _, out, _ in ends]


class Machines:
    """What runs on either end of a link."""

    def __init__(self, link, folder):
        self.link, self.folder = link, folder
        self.twins = None

    def gloo(self, *words, stages=1, each=lambda rank: ()):
        meeting = ("--ranks", 2 // stages, "--rendezvous", f"{self.link.address(0)}:{PORT}", "--interface", namespaces.INTERFACE)
        return ended(
            [
                Job(REMAT, *words, *meeting, "--rank", rank, *each(rank), before=(*self.link.within(rank), *pinned(rank)))
                for rank in range(2)
            ]
        )

    def mpich(self, *words, stages=1):
        """As if they shared no memory."""
        command = ["mpirun.mpich"]
        for rank in range(2):
            command += [":"] if rank else []
            command += ["-n", "1", *self.link.within(rank), *pinned(rank), REMAT, *words]
            command += ["--interface", namespaces.INTERFACE]
        apart = {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self", "UCX_NET_DEVICES": namespaces.INTERFACE}
        return ended([Job(*command, variables=apart)])

    def reducer(self, steps, bf16):
        meeting = self.folder / "meeting"
        meeting.unlink(missing_ok=True)
        twins = self.twins = self.twins or Libtorch(None)
        words = ("dev.remat.benchmarks.libtorch.TrainTogether", "gpt", settings(ROWS), steps, 2)
        outs = ended(
            [
                Job(
                    *twins.java, *words, rank, 2, meeting, namespaces.INTERFACE, *(("bf16",) if bf16 else ()),
                    before=(*self.link.within(rank), *pinned(rank)), variables=twins.environment,
                )
                for rank in range(2)
            ]
        )  # fmt: skip
        if outs[0].splitlines()[-1] != outs[1].splitlines()[-1]:
            raise RuntimeError("the reducer's ranks have other parameters")
        return outs


def training(rows, steps, *words, model=MODEL):
    return ("train", model, "--set", settings(rows), "--data", "synthetic", "--json", "--steps", steps, *words)


def apart():
    """Two processes that know nothing of each other, with the rows of a rank each."""
    words = training(ROWS // 2, STEPS)
    return max(millis(out) for out in ended([Job(REMAT, *words, before=pinned(rank)) for rank in range(2)]))


def foretold(costs, micro_batches, *words):
    plan = Run(
        "plan", MODEL, "--set", settings(ROWS), "--micro-batches", str(micro_batches), "--costs", str(costs), *words
    )
    if plan.answer is None:
        raise RuntimeError("plan finds none")
    return plan.answer


class Report:
    def __init__(self, *columns):
        self.failed = []
        print("| " + " | ".join(columns) + " |")
        print("|" + "---|" * len(columns))

    def row(self, what, holds, *cells):
        print("| " + " | ".join(cells) + f" | {'holds' if holds else 'FAILS'} |", flush=True)
        if not holds:
            self.failed.append(what)


def ways(machines):
    """By which two processes are joined, by name."""
    return {"Gloo": machines.gloo, **({"MPICH": machines.mpich} if shutil.which("mpirun.mpich") else {})}


def measured(machines, name, rate, micro_batches):
    """What kernels and link cost there, as a file."""
    costs = machines.folder / f"costs-{rate}-{name}.json"
    profile = ("profile", MODEL, "--set", settings(ROWS), "--micro-batches", micro_batches, "--link")
    if name == "Gloo":
        machines.gloo(*profile, each=lambda rank: ("-o", costs if rank == 0 else f"{costs}.{rank}"))
    else:
        machines.mpich(*profile, "-o", str(costs))
    return costs


def plan(machines, rates):
    report = Report("Gbit/s", "by", "step, foretold", "measured", "off", "efficiency, foretold", "measured", "")
    both = (*training(ROWS, STEPS), "--micro-batches", 2)
    for rate in rates:
        machines.link.shape(float(rate))
        for name, way in ways(machines).items():
            ranks = foretold(measured(machines, name, rate, 2), 2, "--ranks", "2")["ranks"]
            together, alone = [], []
            for _ in range(TURNS):
                together.append(millis(way(*both)[0]))
                alone.append(apart())
            step = statistics.median(together)
            off = step / ranks["stepMillis"] - 1
            reached = statistics.median(alone) / step
            holds = abs(off) <= 0.15 and reached >= 0.8 * ranks["efficiency"]
            report.row(
                f"{rate} Gbit/s by {name}", holds, rate, name, f"{ranks['stepMillis']:.1f} ms", f"{step:.1f} ms",
                f"{100 * off:+.0f} %", f"{100 * ranks['efficiency']:.0f} %", f"{100 * reached:.0f} %",
            )  # fmt: skip
    return report.failed


def stages(machines, rates):
    report = Report("Gbit/s", "by", "schedule", "step, foretold", "measured", "off", "bubble, foretold", "")
    for rate in rates:
        machines.link.shape(float(rate))
        for name, way in ways(machines).items():
            costs = measured(machines, name, rate, PIECES)
            for schedule in ("gpipe", "1f1b"):
                words = ("--stages", "2", "--schedule", schedule)
                told = foretold(costs, PIECES, *words)
                run = (*training(ROWS, STEPS), "--micro-batches", PIECES, *words)
                # The process that has the loss is the last one, and the first tells of steps.
                step = statistics.median([millis(way(*run, stages=2)[0]) for _ in range(TURNS)])
                planned = told["cost"] / 1e6
                report.row(
                    f"two stages at {rate} Gbit/s by {name}, {schedule}",
                    abs(step / planned - 1) <= 0.15 and planned >= 0.9 * step,
                    rate, name, schedule, f"{planned:.1f} ms", f"{step:.1f} ms", f"{100 * (step / planned - 1):+.0f} %",
                    f"{100 * told['bubble']:.0f} %",
                )  # fmt: skip
    return report.failed


def sent(machines, run):
    """Bytes that leave rank 0 in a step, without what runs send once."""
    bytes_of = []
    for steps in (2, 10):
        before = machines.link.sent(0)
        run(steps)
        bytes_of.append(machines.link.sent(0) - before)
    return (bytes_of[1] - bytes_of[0]) / 8


def reducer(machines, rates):
    report = Report("Gbit/s", "", "sent a step, reducer", "remat", "ratio", "rows/s, reducer", "remat", "ratio", "")
    for precision in os.environ.get("PRECISIONS", "f32 bf16").split():
        narrow = precision == "bf16"
        shard = os.environ.get("SHARD", "parameters" if narrow else "optimizer")
        words = ("--micro-batches", 2, "--precision", precision, "--shard", shard)
        model = machines.folder / f"{precision}.model"
        model.write_text(pathlib.Path(MODEL).read_text().replace("minimize loss", f"minimize loss; gradients {precision}"))

        def ours(steps, words=words, model=model):
            return machines.gloo(*training(ROWS, steps, model=model), *words)

        def theirs(steps, narrow=narrow):
            return machines.reducer(steps, narrow)

        machines.link.shape(5)
        bytes_of = [sent(machines, theirs), sent(machines, ours)]
        for rate in rates:
            machines.link.shape(float(rate))
            rows = [[], []]
            for _ in range(TURNS):
                for side, run in enumerate((theirs, ours)):
                    rows[side].append(ROWS / millis(run(STEPS)[0]) * 1e3)
            theirs_a_second, ours_a_second = map(statistics.median, rows)
            more, fewer = ours_a_second / theirs_a_second, bytes_of[1] / bytes_of[0]
            # What the reducer sends takes longer on its way than half of its step.
            decides = bytes_of[0] * 8 / (float(rate) * 1e9) > 0.5 * ROWS / theirs_a_second
            holds = fewer <= 0.6 and (more >= 1.3 or not decides) if narrow else fewer <= BESIDE and more >= 1
            report.row(
                f"{precision} at {rate} Gbit/s", holds, rate, precision, f"{bytes_of[0] / 1e6:.2f} MB",
                f"{bytes_of[1] / 1e6:.2f} MB", f"{fewer:.2f}", f"{theirs_a_second:.1f}", f"{ours_a_second:.1f}",
                f"{more:.2f}{', the link decides' if decides else ''}",
            )  # fmt: skip
    return report.failed


def main():
    modes = {"plan": plan, "stages": stages, "reducer": reducer}
    if len(sys.argv) < 2 or sys.argv[1] not in modes:
        print(__doc__, file=sys.stderr)
        return 2
    missing = namespaces.unavailable()
    if missing:
        print(f"links: {missing}; nothing was measured", file=sys.stderr)
        return 3
    print(f"load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors; {settings(ROWS)}\n")
    with tempfile.TemporaryDirectory() as folder, namespaces.Link() as link:
        failed = modes[sys.argv[1]](Machines(link, pathlib.Path(folder)), sys.argv[2:] or RATES)
    for what in failed:
        print(f"links: {what} is not as asked for", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
