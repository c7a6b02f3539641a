#!/usr/bin/python3
"""Compares the time and memory of a training step on the CPU between remat and PyTorch.

Each case trains by `remat train` and by its PyTorch twin in turns, several rounds in one go, pinned to the same cores and
with as many threads: remat, PyTorch, remat, PyTorch. Twins are those of tests/benchmarks/libtorch, which run PyTorch's own
library from Java (`mvn -Plibtorch -pl tests/benchmarks/libtorch -am process-classes`), or with `--beside python` those of
torch_step.py in a Python that has torch. The table gives medians of all steps behind the warm-up, and of steps 11 to 20
beside it; the time of the first ten steps; processor time and peak memory of the whole processes, both of which hold a
Java virtual machine beside libtorch.

Run it on a machine that does nothing else:

    tests/benchmarks/step_time.py
    tests/benchmarks/step_time.py --channels-last resnet-cifar unet vgg
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBTORCH = HERE / "libtorch"
SAMPLES = ROOT / "samples"
CASES = {
    "gpt": ("gpt", "B=8,T=64"),
    "gpt-long": ("gpt", "B=8,T=256"),
    "gpt-wide": ("gpt", "B=8,T=128,depth=6,width=384,heads=6"),
    "gpt-wider": ("gpt", "B=8,T=64,vocab=2000,width=512,depth=2,heads=8,context=64"),
    "llama": ("llama", "B=8,T=64"),
    "bert": ("bert", "B=8,T=64,vocab=4096,width=256,depth=4,heads=4,hidden=1024"),
    "vit": ("vit", "B=8,patch=4,image=32,width=256,depth=4,heads=4,hidden=1024,classes=10,drop=0.1"),
    "mlp": ("mlp", "B=128"),
    "lstm": ("lstm", "B=32,T=32,width=256,depth=2,classes=500"),
    "lstm-network": ("lstm-network", "B=32,T=32,width=256,depth=2,classes=500"),
    "resnet-cifar": ("resnet-cifar", "B=32,depth=29"),
    "resnet-cifar-56": ("resnet-cifar", "B=32,depth=56"),
    "unet": ("unet", "B=2,width=16,image=128,pad=1"),
    "vgg": ("vgg", "B=16,width=32,hidden=512,image=64,classes=10"),
}
# What torch_step.py has too.
IN_PYTHON = ("gpt", "llama", "bert", "vit", "resnet-cifar")


class Side:
    """What one of the two has taken over all rounds."""

    def __init__(self):
        self.warm, self.soon, self.first, self.processor, self.peak = [], [], [], [], []

    def add(self, lines, usage, warmup):
        millis = [line["millis"] for line in lines if "millis" in line]
        self.warm += millis[warmup:]
        self.soon += millis[10:20]
        self.first.append(sum(millis[:10]))
        self.processor.append(usage.ru_utime + usage.ru_stime)
        self.peak.append(usage.ru_maxrss * 1024)

    def row(self):
        return {
            "millis": statistics.median(self.warm), "millisOfSteps11To20": statistics.median(self.soon),
            "millisOfFirst10": statistics.median(self.first), "processorSeconds": statistics.median(self.processor),
            "peakBytes": round(statistics.median(self.peak)), "steps": len(self.warm),
        }


def run(command, cores, threads, extra):
    """Lines of JSON that a command prints while it runs on the first cores, with so many threads, and what it used."""
    cores = ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[:cores])
    environment = dict(os.environ, **extra)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        environment[name] = str(threads)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(["taskset", "-c", cores, *map(str, command)], cwd=ROOT, env=environment, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}\nended with {process.returncode}:\n{err.read()}")
        return [json.loads(line) for line in out if line.startswith("{")], usage


def jdk():
    """A JDK that is new enough, as ./remat looks for one."""
    homes = [os.environ.get(name) for name in ("JAVA_HOME", "JAVA25_HOME")]
    for home in [*filter(None, homes), *sorted(pathlib.Path("/usr/lib/jvm").glob("*"))]:
        release = pathlib.Path(home, "release")
        version = release.exists() and re.search(r'JAVA_VERSION="(\d+)', release.read_text())
        if version and int(version[1]) >= 25:
            return pathlib.Path(home)
    sys.exit("no JDK 25: set JAVA_HOME")


class Remat:
    environment = {}

    def __init__(self, arguments):
        self.arguments = arguments

    def command(self, model, settings):
        folder = SAMPLES if (SAMPLES / f"{model}.model").exists() else LIBTORCH
        command = [
            "./remat", "train", folder / f"{model}.model", "--set", settings, "--data", "synthetic", "--steps",
            self.arguments.steps, "--strategy", self.arguments.strategy, "--json",
        ]
        return command + (["--precision", "bf16"] if self.arguments.bf16 else [])


class Python:
    environment = {}

    def __init__(self, arguments):
        self.arguments = arguments

    def command(self, model, settings):
        command = [
            sys.executable, HERE / "torch_step.py", model, "--set", settings, "--steps", self.arguments.steps, "--threads",
            self.arguments.threads,
        ]
        return command + (["--channels-last"] if self.arguments.channels_last else [])


class Libtorch:
    def __init__(self, arguments):
        self.arguments = arguments
        classpath = LIBTORCH / "target" / "classpath"
        if not classpath.exists():
            sys.exit("build it first: mvn -Plibtorch -pl tests/benchmarks/libtorch -am process-classes")
        self.java = [
            jdk() / "bin" / "java", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "-cp", f"{LIBTORCH}/target/classes:{classpath.read_text().strip()}",
        ]
        mkl = pathlib.Path(self.main("Libtorch"))
        # One pool of threads, and products by MKL where the library would take OpenBLAS.
        self.environment = {"LD_PRELOAD": str(mkl), "LD_LIBRARY_PATH": str(mkl.parent), "MKL_THREADING_LAYER": "GNU"}

    def main(self, name, *words):
        command = [*self.java, f"dev.remat.benchmarks.libtorch.{name}", *words]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout.splitlines()[-1]

    def command(self, model, settings):
        flags = [flag for flag, given in (("channels-last", self.arguments.channels_last), ("bf16", self.arguments.bf16)) if given]
        words = [model, settings, self.arguments.steps, self.arguments.threads, *flags]
        return [*self.java, "dev.remat.benchmarks.libtorch.TrainTwin", *words]

    def compare(self):
        """Whether twins compute what samples do."""
        command = [*self.java, "dev.remat.benchmarks.libtorch.CompareTwins", ROOT / "remat", SAMPLES, LIBTORCH]
        return subprocess.run(list(map(str, command)), check=False, env=dict(os.environ, **self.environment), cwd=ROOT).returncode


def measure(name, ours, theirs, arguments):
    model, settings = CASES[name]
    sides = Side(), Side()
    for round_number in range(arguments.rounds):
        print(f"{name}: round {round_number + 1} of {arguments.rounds}", file=sys.stderr)
        for side, program in zip(sides, (ours, theirs)):
            lines, usage = run(program.command(model, settings), arguments.threads, arguments.threads, program.environment)
            side.add(lines, usage, arguments.warmup)
    row = {"case": name, "set": settings, "threads": arguments.threads, "strategy": arguments.strategy}
    row |= {"remat": sides[0].row(), "torch": sides[1].row()}
    row["ratio"] = row["remat"]["millis"] / row["torch"]["millis"]
    return row


def table(rows):
    print(
        "| case | `--set` | remat ms | PyTorch ms | ratio | steps 11–20, of warm | first ten s | processor s | peak MB |\n"
        "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    )
    for row in rows:
        pair = row["remat"], row["torch"]

        def both(text):
            return " / ".join(text(side) for side in pair)

        print(
            f"| {row['case']} | `{row['set']}` | {pair[0]['millis']:.1f} | {pair[1]['millis']:.1f} | {row['ratio']:.2f} "
            f"| {both(lambda side: '%.2f' % (side['millisOfSteps11To20'] / side['millis']))} "
            f"| {both(lambda side: '%.2f' % (side['millisOfFirst10'] / 1e3))} "
            f"| {both(lambda side: '%.1f' % side['processorSeconds'])} | {both(lambda side: '%.0f' % (side['peakBytes'] / 1e6))} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"one of {', '.join(CASES)}; all of them by default")
    parser.add_argument("--beside", choices=("libtorch", "python"), default="libtorch", help="which twins run")
    parser.add_argument("--compare", action="store_true", help="hold the twins' gradients against remat's instead")
    parser.add_argument("--steps", type=int, default=60, help="of each run, warm-up included")
    parser.add_argument("--warmup", type=int, default=40, help="steps of each run that do not count as warm")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each side")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--strategy", default="keep-all", help="how remat plans; PyTorch always keeps everything")
    parser.add_argument("--channels-last", action="store_true", help="PyTorch stores images as NHWC")
    parser.add_argument("--bf16", action="store_true", help="activations in bf16 on both sides")
    parser.add_argument("--json", action="store_true", help="print a line of JSON per case")
    arguments = parser.parse_args()
    python = arguments.beside == "python"
    known = [name for name, (model, _) in CASES.items() if not python or model in IN_PYTHON]
    unknown = [case for case in arguments.cases if case not in known]
    if unknown:
        parser.error(f"unknown case {unknown[0]}; choose from {', '.join(known)}")
    if not 20 <= arguments.warmup < arguments.steps:
        parser.error("--warmup must be 20 at least and leave steps to measure")
    if python and (arguments.bf16 or arguments.compare):
        parser.error("--bf16 and --compare are there beside libtorch alone; compare_gradients.py compares twins in Python")

    theirs = Python(arguments) if python else Libtorch(arguments)
    if arguments.compare:
        sys.exit(theirs.compare())
    rows = []
    for name in arguments.cases or known:
        rows.append(measure(name, Remat(arguments), theirs, arguments))
        if arguments.json:
            print(json.dumps(rows[-1]), flush=True)
    if not arguments.json:
        table(rows)


if __name__ == "__main__":
    main()
