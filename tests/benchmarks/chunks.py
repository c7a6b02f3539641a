#!/usr/bin/env python3
"""The promises about losses in chunks, one row each: what is asked for, and what is measured. Ends with 1 where one does not hold.

Plans, floors and prices are the same on every machine; processor seconds are not. GPT-2 is samples/gpt.model with 124M parameters.

    tests/benchmarks/chunks.py                 # all rows, some twenty minutes on two cores
    tests/benchmarks/chunks.py a1 a7 a9        # some
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from plan_memory import GROUPS
from planning import ROOT, Run

GPT2 = "depth=12,width=768,heads=12,vocab=50257"
WHOLE = f"B=8,T=1024,{GPT2}"
SMALL = "B=8,T=512,depth=1,width=32,heads=2,context=512"
HEAD = """remat 1

model Head(classes: int = 4099) {{
  symbol B
  input x: f32[B, 24]
  input labels: i32[B]
  h = x |> linear(40) |> gelu |> dropout(0.2)
  loss = cross_entropy({logits}, labels{arguments})
}}

train {{ minimize loss; optimizer adamw(lr = 3e-3, clip_norm = 1.0); seed 3 }}
"""
HEADS = {
    "a head of its own behind dropout": ("linear(h, classes, bias = false)", ""),
    "ignored targets": ("linear(h, 300, bias = false)", ", ignore_index = 7"),
    "smoothed labels": ("linear(h, 300, bias = false)", ", label_smoothing = 0.1"),
    "a bias, smoothed and ignored": ("linear(h, classes)", ", label_smoothing = 0.1, ignore_index = 7"),
    "a soft cap": ("30.0 * tanh(linear(h, classes, bias = false) / 30.0)", ""),
}
# Seconds that a start of Java takes, which count for neither side.
START = 2


class Rows:
    def __init__(self):
        self.failed = []
        print("| row | of | asked for | measured | |")
        print("|---|---|---|---|---|")

    def tell(self, row, of, asked, measured, holds):
        print(f"| {row} | {of} | {asked} | {measured} | {'holds' if holds else 'FAILS'} |", flush=True)
        if not holds:
            self.failed.append(f"{row}, {of}")


def plan(settings, *words, model="samples/gpt.model"):
    return Run("plan", model, "--set", settings, "--no-cache", *words)


def overhead(run):
    """Of a step over one that is whole and recomputes nothing; None where no plan fits."""
    return None if run.answer is None else run.answer["compute"]["overhead"]


def percent(share):
    return "no plan" if share is None else f"{100 * share:.1f} %"


def a1(rows):
    run = plan(WHOLE, "--chunks", "8", "--strategy", "sqrt").answer
    memory = run["memory"]
    for name, asked, value in (("floor", 2.0e9, memory["floorBytes"]), ("arena", 2.75e9, memory["arenaBytes"])):
        rows.tell("A1", f"GPT-2, 8 chunks, sqrt: {name}", f"≤ {asked / 1e9} GB", f"{value / 1e9:.3f} GB", value <= asked)
    share = run["compute"]["overhead"]
    rows.tell("A1", "recomputed", "≤ 18 %", percent(share), share <= 0.18)


def a2(rows):
    for precision in ("f32", "f64", "bf16", "f16"):
        run = Run("check", "samples/gpt.model", "--set", SMALL, "--chunks", "1,2,4,8,16,auto", "--strategy",
                  "keep-all,sqrt", "--precision", precision)
        same(rows, f"gpt, 4,096 rows, {precision}", run)
        for name, (logits, arguments) in HEADS.items():
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "head.model"
                file.write_text(HEAD.format(logits=logits, arguments=arguments))
                run = Run("check", file, "--set", "B=2100", "--chunks", "1,2,4,8,16", "--strategy", "keep-all",
                          "--precision", precision)
            same(rows, f"{name}, {precision}", run)


def same(rows, of, run):
    answer = run.answer
    counts = sum("chunks" in check["check"] for check in answer["checks"])
    faults = answer["gradients"]["fault"]
    rows.tell("A2", of, "the bits of whole losses",
              f"{answer['differ']} of {counts} plans in chunks differ, {faults} gradients are wrong",
              answer["differ"] == 0 and faults == 0 and counts > 0)


def a3(rows):
    def train(folder, steps, chunks, *words):
        code, said = told("train", "samples/gpt.model", "--set", SMALL, "--text", "README.md", "--steps", steps,
                          "--chunks", chunks, *words)
        if code != 0:
            sys.exit(f"training in chunks: {chunks}\nended with {code}:\n{said}")
        return {file.name: file.read_bytes() for file in pathlib.Path(folder).glob("*.safetensors")}

    with tempfile.TemporaryDirectory() as folder:
        one, other = f"{folder}/one", f"{folder}/other"
        whole = train(one, 20, "off", "--save", one)
        train(other, 10, "2", "--save", other)
        cut = train(other, 20, "8", "--resume", other, "--save", other)
        facts = "chunk" in (pathlib.Path(other) / "meta.json").read_text()
    rows.tell("A3", "20 steps in 2, from 10 on in 8 chunks", "the file of whole losses, and no word of chunks",
              ("the same" if whole == cut else "another") + (", chunks are in meta.json" if facts else ""),
              whole == cut and not facts)


def a5(rows):
    refused = {
        "a sum over rows": ("loss = cross_entropy(linear(x, 4000), labels)", "reduce_sum"),
        "a maximum over rows": ("l = linear(x, 4000, bias = false)\n"
                                "  loss = cross_entropy(l, labels) + 0.0 * mean(amax(l, axis = 0))", "reduce_max"),
        "batch norm of logits": ("loss = cross_entropy(linear(x, 4000, bias = false) |> batch_norm, labels)", "batch"),
        "a sort along rows": ("l, order = sort(linear(x, 4000, bias = false), axis = 0)\n  loss = cross_entropy(l, labels)", "model:7:14"),
        "a sum over rows that rows read": ("l = linear(x, 4000, bias = false)\n"
                                           "  loss = cross_entropy(l - sum(l, axis = 0), labels)", "reduce_sum"),
        "logits that are an output": ("l = linear(x, 4000, bias = false)\n  output l\n"
                                      "  loss = cross_entropy(l, labels)", "output"),
        "dropout on logits": ("loss = cross_entropy(linear(x, 4000, bias = false) |> dropout(0.1), labels)", "draws random"),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, (body, reason) in refused.items():
            file = pathlib.Path(folder) / "refused.model"
            file.write_text("remat 1\n\nmodel M {\n  symbol B\n  input x: f32[B, 24]\n  input labels: i32[B]\n  "
                            f"{body}\n}}\n\ntrain {{ minimize loss; optimizer sgd(lr = 0.1) }}\n")
            line = next(number for number, text in enumerate(file.read_text().splitlines(), 1) if "loss =" in text)
            code, said = told("plan", file, "--set", "B=1024", "--chunks", "4")
            auto, _ = told("plan", file, "--set", "B=1024", "--budget", "99%")
            rows.tell("A5", name, "E0505 with its place; auto goes on",
                      f"exit {code}, auto {auto}" + ("" if "E0505" in said else ", no E0505"),
                      code == 3 and f"refused.model:{line}:10: error[E0505]" in said and reason in said and auto in (0, 4))


def a7(rows):
    for budget, asked in (("5735MB", 0.010), ("4887MB", 0.040), ("4039MB", 0.085)):
        off = plan(WHOLE, "--budget", budget, "--chunks", "off")
        auto = plan(WHOLE, "--budget", budget)
        longer = longer_than(plan(WHOLE, "--chunks", "off"), auto)
        rows.tell("A7", f"GPT-2 within {budget}", f"≤ {percent(asked)}", f"{percent(longer)}, whole {percent(overhead(off))}",
                  longer is not None and longer <= asked)
        if off.answer:
            times = (auto.cpu_seconds + START) / (off.cpu_seconds + START)
            rows.tell("A8", "planning that", "≤ 3 times whole", f"{times:.1f} times", times <= 3)


def longer_than(kept, run):
    """What a step takes longer than one that recomputes nothing and is whole."""
    if run.answer is None:
        return None
    return run.answer["compute"]["estimatedMillis"] / kept.answer["compute"]["estimatedMillis"] - 1


def a8(rows):
    """Chunks are no loss anywhere; no budget is needed for steps that fit as they are."""
    wide = {("vit", "B=32"), ("mlp", "B=128"), ("gpt", "B=8,T=64")}
    for model, settings in GROUPS["samples"]:
        file = f"samples/{model}.model"
        kept = plan(settings, "--chunks", "off", model=file)
        for share in (70, 50, 30) if (model, settings) in wide else (70,):
            runs = [plan(settings, "--budget", f"{share}%", "--effort", "quick", "--chunks", how, model=file)
                    for how in ("off", "auto")]
            off, auto = (longer_than(kept, run) for run in runs)
            holds = off is None or auto is not None and auto <= off + 0.01
            rows.tell("A8", f"{model} `{settings}` at {share} %", "no slower than whole", f"{percent(auto)}, whole {percent(off)}",
                      holds)


def a9(rows):
    settings = f"B=1,T=8192,context=8192,{GPT2}"
    longer = longer_than(plan(settings, "--chunks", "off"), plan(settings, "--budget", "4105MB"))
    rows.tell("A9", "GPT-2, one text of 8,192, within 4105MB", "≤ 9.5 %", percent(longer), longer is not None and longer <= 0.095)


def a10(rows):
    floors = {chunks: plan(WHOLE, "--micro-batches", "8", "--chunks", chunks).answer["memory"]["floorBytes"]
              for chunks in ("off", "16")}
    # 1.99 GB of parameters, moments and accumulators, one sum for the tied table, and the logits of 256 rows.
    rows.tell("A10", "GPT-2, 8 micro-batches: floor", "≤ 2.21 GB", f"{floors['16'] / 1e9:.2f} GB, whole {floors['off'] / 1e9:.2f} GB",
              floors["16"] <= 2.21e9)
    run = Run("check", "samples/gpt.model", "--set", "B=16,T=512,depth=1,width=32,heads=2,context=512", "--micro-batches",
              "8", "--chunks", "2,4", "--strategy", "keep-all")
    same(rows, "the same in 8 micro-batches", run)


def told(*words):
    """The exit code of a command, and all that it says."""
    command = [os.environ.get("REMAT", "./remat"), *map(str, words)]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return process.returncode, process.stdout + process.stderr


ROWS = {row.__name__: row for row in (a1, a2, a3, a5, a7, a8, a9, a10)}


def main():
    rows = Rows()
    for name in sys.argv[1:] or ROWS:
        ROWS[name](rows)
    print(*(f"FAILS: {failed}" for failed in rows.failed), sep="\n")
    sys.exit(1 if rows.failed else 0)


if __name__ == "__main__":
    main()
