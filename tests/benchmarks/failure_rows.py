"""What failures.py holds ranks to, one row each: something happens to one of two ranks or to all, and then they end."""

import os
import signal
import socket
import subprocess
import tempfile
import time

import namespaces
from jobs import Saved, kill, state, train, wait_until

# Synthetic data are uniform down to -1.732: in one row of 250 a root is none, so that one rank meets it first.
ODD = """remat 1

model Odd() {
  symbol B
  input x: f32[B, 4]
  loss = mean(sqrt(x + 1.7285) |> linear(8) |> linear(1))
}

train { minimize loss; optimizer sgd(lr = 1e-6); seed 3 }
"""
TOKEN = {"REMAT_TOKEN": "0123456789abcdef" * 4}
# Beside the five seconds after which a rank is lost that says nothing.
SILENCE, SLACK = 5, 2.5


def free_port():
    with socket.create_server(("localhost", 0)) as server:
        return server.getsockname()[1]


class Rows:
    def __init__(self, folder, model, engines):
        self.folder, self.model, self.engines = folder, model, engines
        self.failed = []
        print("| what happens | by | asked for | measured | |")
        print("|---|---|---|---|---|")

    def tell(self, what, engine, asked, measured, holds, err=""):
        print(f"| {what} | {engine} | {asked} | {measured} | {'holds' if holds else 'FAILS'} |", flush=True)
        if not holds:
            self.failed.append(f"{what} by {engine}: {err.strip()[-600:]}")

    def started(self, engine, *words, model=None, ranks=2, **how):
        """Ranks that a process of remat has started, once they have saved something."""
        saved = Saved(self.folder / f"{engine}-{time.monotonic_ns()}")
        job = train(
            *(model or self.model), "--steps", 1000000, "--save", saved.folder, "--save-every", 2, "--ranks", ranks,
            "--processes", "--transport", engine, *words, **how,
        )  # fmt: skip
        wait_until(lambda: saved.step() > 2 or job.process.poll() is not None, 60)
        return job, saved

    def goes_on(self, saved):
        """Whether what is saved is what a run comes to that nothing happened to."""
        steps = saved.step() + 2
        again = train(*self.model, "--steps", steps, "--save", saved.folder, "--resume", saved.folder).end()
        return state(again[1]) is not None and state(again[1]) == state(train(*self.model, "--steps", steps).end()[1])

    def by_hand(self, ranks=2, variables=None, port=None, before=lambda rank: (), words=(), each=lambda rank: ()):
        """Ranks of Gloo, each a job of its own."""
        host = namespaces.Link.address(0) if words else "localhost"
        meeting = ("--ranks", ranks, "--rendezvous", f"{host}:{port or free_port()}", "--join-timeout", 30 * ranks)
        return [
            train(
                *self.model, "--rank", rank, *meeting, *words, *each(rank), before=before(rank),
                variables={**TOKEN, **(variables or {})},
            )
            for rank in range(ranks)
        ]  # fmt: skip


def stopped(rows):
    """F1: a rank is there and does nothing."""
    for engine in rows.engines:
        for rank in (0, 1):
            job, saved = rows.started(engine)
            since = time.monotonic()
            kill(job.ranks()[rank], signal.SIGSTOP)
            said = wait_until(lambda: "said nothing" in job.said(job.err), 30)
            told = time.monotonic() - since
            gone = job.seconds_to_go(since, 40)
            code, _, err = job.end(1)
            named = f"rank {rank} " in err and "said nothing for 5 s" in err
            rows.tell(
                f"rank {rank} is stopped (SIGSTOP)", engine, f"said within {SILENCE + SLACK} s, 9",
                f"{told:.1f} s, all gone after {gone or 40:.1f} s, {code}",
                said and named and code == 9 and told <= SILENCE + SLACK and gone is not None and rows.goes_on(saved), err,
            )  # fmt: skip


def signals(rows):
    """E3: whoever gets a signal, all save and end."""
    for engine in rows.engines:
        for name, code, send in (
            ("Ctrl-C on all", 130, lambda job: job.send(signal.SIGINT)),
            ("SIGTERM to the launcher", 143, lambda job: kill(job.process.pid, signal.SIGTERM)),
            ("SIGTERM to rank 1", 143, lambda job: kill(job.ranks()[1], signal.SIGTERM)),
            ("SIGTERM to rank 0", 143, lambda job: kill(job.ranks()[0], signal.SIGTERM)),
        ):
            job, saved = rows.started(engine)
            since = time.monotonic()
            send(job)
            gone = job.seconds_to_go(since, 30)
            got, _, err = job.end(1)
            left = saved.left_over()
            rows.tell(
                name, engine, f"{code}, saved, nothing left over",
                f"{got} after {gone or 30:.1f} s, {'; '.join(left) or 'nothing left over'}",
                got == code and gone is not None and not left and rows.goes_on(saved), err,
            )  # fmt: skip


def nan(rows):
    """E3: one rank's loss is no number."""
    odd = rows.folder / "odd.model"
    odd.write_text(ODD)
    model = (odd, "--set", "B=8", "--micro-batches", "8", "--data", "synthetic", "--json")
    for engine in rows.engines:
        saved = Saved(rows.folder / f"odd-{engine}")
        words = ("--steps", 100000, "--save", saved.folder, "--save-every", 5)
        job = train(*model, *words, "--ranks", 2, "--processes", "--transport", engine)
        code, _, err = job.end()
        alone = train(*model, "--steps", 100000).end()
        same = alone[0] == 7 and alone[2].splitlines()[:1] == [line for line in err.splitlines() if "goes on" not in line][:1]
        rows.tell(
            "a loss that is no number, on one rank", engine, "7, as on one rank",
            f"{code}, {'the same words' if same else 'other words'}",
            code == 7 and same and not saved.left_over() and not job.processes(), err + alone[2],
        )  # fmt: skip


def full(rows):
    """E3: no room for the next checkpoint."""
    if os.geteuid() != 0:
        print("a full disk needs root, for a file system of its own", flush=True)
        return
    for engine in rows.engines:
        disk = rows.folder / f"disk-{engine}"
        disk.mkdir()
        # One checkpoint of 103 kB and what stands beside it, but not the next.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160k", "tmpfs", disk], check=True)
        try:
            words = ("--steps", 100, "--save", disk / "run", "--save-every", 2, "--ranks", 2)
            job = train(*rows.model, *words, "--processes", "--transport", engine)
            code, _, err = job.end()
            saved = Saved(disk / "run")
            left, step = saved.left_over(), saved.step()
            copy = Saved(rows.folder / f"copy-{engine}")
            subprocess.run(["cp", "-r", saved.folder, copy.folder], check=True)
            rows.tell(
                "a full disk", engine, "1, the checkpoint before is whole, nothing left over",
                f"{code}, step {step}, {'; '.join(left) or 'nothing left over'}",
                code == 1 and step == 2 and not left and rows.goes_on(copy) and not job.processes(), err,
            )  # fmt: skip
        finally:
            subprocess.run(["umount", disk], check=True)


def cut(rows):
    """F1: the link between two machines goes down."""
    missing = namespaces.unavailable()
    if missing or "gloo" not in rows.engines:
        print(missing or "the link needs Gloo", flush=True)
        return
    for rank in (0, 1):
        with namespaces.Link() as link:
            saved = Saved(rows.folder / f"cut-{rank}")
            run = ("--steps", 1000000, "--save", saved.folder, "--save-every", 5, "--interface", namespaces.INTERFACE)
            jobs = rows.by_hand(before=link.within, words=run)
            wait_until(lambda: saved.step() > 5 or any(job.process.poll() is not None for job in jobs), 60)
            since = time.monotonic()
            link.down(rank)
            gone = [job.seconds_to_go(since, 60) for job in jobs]
            ends = [job.end(1) for job in jobs]
            named = [f"rank {1 - who} " in ends[who][2] or f"rank {who} " in ends[who][2] for who in range(2)]
            rows.tell(
                f"the link of rank {rank} goes down", "gloo", f"9 on both within {SILENCE + SLACK} s",
                ", ".join(f"{end[0]} after {after or 60:.1f} s" for end, after in zip(ends, gone)),
                all(end[0] == 9 for end in ends) and named[0] and all(s and s <= SILENCE + SLACK for s in gone)
                and rows.goes_on(saved), ends[0][2] + ends[1][2],
            )  # fmt: skip


def taken(rows):
    """F2: others have the port."""
    if "gloo" not in rows.engines:
        return
    with socket.create_server(("localhost", 0)) as server:
        ends = [job.end() for job in rows.by_hand(port=server.getsockname()[1], words=(), each=lambda _: ("--steps", 2))]
    rows.tell(
        "the port is taken", "gloo", "9 on both, named", ", ".join(str(end[0]) for end in ends),
        all(end[0] == 9 for end in ends) and "in use" in ends[0][2], ends[0][2] + ends[1][2],
    )  # fmt: skip


def twice(rows):
    """F2: two jobs by one user meet at one port; whoever trains, trains with its own."""
    if "gloo" not in rows.engines:
        return
    port = free_port()
    seeds = (3, 4)
    alone = [state(train(*rows.model, "--steps", 5, "--seed", seed).end()[1]) for seed in seeds]
    jobs = [rows.by_hand(port=port, each=lambda _: ("--steps", 5, "--seed", seed)) for seed in seeds]
    ends = [[job.end() for job in each] for each in jobs]
    wrong = sum(state(each[0][1]) not in (None, own) for each, own in zip(ends, alone))
    codes = [end[0] for each in ends for end in each]
    rows.tell(
        "two jobs at one port", "gloo", "each ends, with its state or with 9", ", ".join(map(str, codes)),
        not wrong and all(code in (0, 9) for code in codes), "".join(end[2] for each in ends for end in each),
    )  # fmt: skip


def unpack(rows):
    """F2: eight processes find nothing unpacked."""
    if "gloo" not in rows.engines:
        return
    with tempfile.TemporaryDirectory(dir=rows.folder) as empty:
        variables = {
            "REMAT_CACHE_DIR": f"{empty}/remat",
            "REMAT_JAVA_OPTS": f"-Dorg.bytedeco.javacpp.cachedir={empty}/javacpp",
        }
        os.mkdir(f"{empty}/javacpp")
        each = lambda _: ("--steps", 3)
        ends = [job.end(300) for job in rows.by_hand(8, variables=variables, each=each)]
    alone = state(train(*rows.model, "--steps", 3).end()[1])
    codes = [end[0] for end in ends]
    rows.tell(
        "eight ranks with an empty cache", "gloo", "one state", ", ".join(map(str, codes)),
        codes == [0] * 8 and state(ends[0][1]) == alone, "".join(end[2] for end in ends),
    )  # fmt: skip


ALL = {row.__name__: row for row in (stopped, signals, nan, full, cut, taken, twice, unpack)}


def run(folder, model, engines, names):
    """Returns what was not as asked for."""
    rows = Rows(folder, model, engines)
    for name in names or ALL:
        ALL[name](rows)
    return rows.failed
