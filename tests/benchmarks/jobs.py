"""Processes that train together, a rank each, and what is left of them: what failures.py and links.py start."""

import atexit
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import uuid

from planning import ROOT

REMAT = os.environ.get("REMAT", str(ROOT / "remat"))
# By which every process of a job is found, whoever started it and whoever is gone.
MARK = "REMAT_BENCHMARK_JOB"
RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "RANK")
# Of seconds, for a job that is to end by itself.
MOST = 120
# A shell has what it starts in the background ignore Ctrl-C, and so would all that this starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


def read(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError:
        return b""


def environment(process):
    """Nothing of a process that has ended."""
    pairs = (pair.split("=", 1) for pair in read(f"/proc/{process}/environ").decode(errors="replace").split("\0"))
    return {pair[0]: pair[1] for pair in pairs if len(pair) == 2}


def wait_until(true, seconds, pause=0.01):
    """What is true in the end, or what was not in time."""
    deadline = time.monotonic() + seconds
    while not (found := true()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found


class Job:
    """What a command has started."""

    def __init__(self, *words, before=(), variables=None, name=""):
        self.mark = uuid.uuid4().hex
        self.name = name
        self.began = time.monotonic()
        # Files, for a pipe that nobody reads would hold it up.
        self.out = tempfile.TemporaryFile("w+")
        self.err = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [*before, *(str(word) for word in words)],
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            start_new_session=True,
            env={**os.environ, **(variables or {}), MARK: self.mark},
        )
        self.answer = None
        atexit.register(self.kill)

    def processes(self):
        """All that live."""
        every = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())
        return [process for process in every if environment(process).get(MARK) == self.mark]

    def ranks(self):
        """The process of each rank."""
        found = {}
        for process in self.processes():
            if b"dev.remat.cli.Main" not in read(f"/proc/{process}/cmdline"):
                continue
            variables = environment(process)
            for name in RANKS:
                if name in variables:
                    found.setdefault(int(variables[name]), process)
        return found

    def send(self, number):
        """To all that a terminal would send it to."""
        os.killpg(self.process.pid, number)

    def end(self, seconds=MOST):
        """Its exit code, output and errors; what hangs is killed, and has no code."""
        if self.answer is None:
            try:
                code = self.process.wait(seconds)
                code = code if code >= 0 else 128 - code
            except subprocess.TimeoutExpired:
                self.kill()
                self.process.wait()
                code = None
            self.answer = (code, self.said(self.out), self.said(self.err))
        return self.answer

    @staticmethod
    def said(file):
        file.seek(0)
        return file.read()

    def kill(self):
        for process in self.processes():
            kill(process)

    def seconds_to_go(self, since, most):
        """After which nothing of it was left."""
        gone = wait_until(lambda: not self.processes(), most, pause=0.05)
        return time.monotonic() - since if gone else None


def kill(process, number=signal.SIGKILL):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass


def train(*words, **how):
    return Job(REMAT, "train", *words, **how)


def state(out):
    """The hash that a run with --json ends with."""
    for line in reversed(out.splitlines()):
        if line.startswith("{") and "stateHash" in line:
            return json.loads(line)["stateHash"]
    return None


class Saved:
    """The folder of a run."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def meta(self):
        try:
            return json.loads((self.folder / "meta.json").read_text())
        except (OSError, ValueError):
            return {}

    def step(self):
        return self.meta().get("step", 0)

    def left_over(self):
        """Files that are no part of the checkpoint."""
        if not self.folder.exists():
            return []
        of_checkpoint = json.dumps(self.meta())
        return sorted(
            entry.name
            for entry in self.folder.iterdir()
            if entry.name != "meta.json" and entry.name not in of_checkpoint
        )
