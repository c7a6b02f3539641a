#!/usr/bin/env python3
"""Whether the quick loop finds mistakes: which class of tests notices each of twelve one-line breaks.

SEED draws the classes that are broken from the main sources of COMMIT, one of every module and then by chance among all
others; what has no method body cannot be drawn. one_line_breaks.txt holds one break for each: the file, the line as it is
and the line as it is broken, which compiles and changes results. A copy of the checkout is built once; for each break
alone, ./remat test then runs in it. Ends with 1 if fewer than ten are found.

    tests/benchmarks/one_line_breaks.py draw             # the drawn classes
    tests/benchmarks/one_line_breaks.py run              # all breaks; run WORD... only those of files with such a word
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from planning import ROOT

SEED = 20261124
COMMIT = "a49b23e3"
DRAWN = 12
ENOUGH = 10
BREAKS = pathlib.Path(__file__).with_suffix(".txt")
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"""(?:\\.|.)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def has_bodies(source):
    """Whether some statement stands within two braces: those of a type and those of what it does."""
    depth = 0
    for character in NO_CODE.sub(" ", source):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth > 1:
            return True
    return False


def draw():
    """The files to break: one of each module, then what chance takes of all others."""
    files = [file for file in sorted(git("ls-tree", "-r", "--name-only", COMMIT).splitlines())
             if re.fullmatch(r"[^/]+/src/main/java/.*\.java", file) and not file.endswith("-info.java")
             and has_bodies(git("show", f"{COMMIT}:{file}"))]
    modules = {}
    for file in files:
        modules.setdefault(file.split("/")[0], []).append(file)
    chance = random.Random(SEED)
    drawn = [chance.choice(modules[module]) for module in sorted(modules)]
    others = [file for file in files if file not in drawn]
    return drawn + sorted(chance.sample(others, DRAWN - len(drawn)))


def read_breaks():
    """Of each break the file, its line, and what takes the line's place."""
    lines = [line for line in BREAKS.read_text().splitlines() if line and not line.startswith("#")]
    return [(file, before.removeprefix("- "), after.removeprefix("+ "))
            for file, before, after in zip(lines[::3], lines[1::3], lines[2::3], strict=True)]


def broken(source, before, after):
    """The source with the first line that reads as asked replaced, at the same indentation."""
    lines = source.split("\n")
    at = next((i for i, line in enumerate(lines) if line.strip() == before), None)
    if at is None:
        raise ValueError(f"no line reads: {before}")
    lines[at] = lines[at].replace(before, after)
    return "\n".join(lines)


def loop(checkout):
    """How the loop ends, what it says, and the classes of tests that failed in it."""
    begin = time.time()
    process = subprocess.run(["./remat", "test"], cwd=checkout, capture_output=True, text=True)
    failed = []
    for report in sorted(checkout.glob("*/target/surefire-reports/TEST-*.xml")):
        if report.stat().st_mtime >= begin:
            suite = xml.etree.ElementTree.parse(report).getroot()
            if int(suite.get("failures")) + int(suite.get("errors")):
                failed.append(suite.get("name").split(".")[-1])
    return process.returncode, process.stdout + process.stderr, failed, time.time() - begin


def run(words):
    """Breaks one line after the other in a copy of the checkout; the number of those that went unnoticed."""
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        checkout = pathlib.Path(folder, "checkout")
        shutil.copytree(ROOT, checkout, ignore=shutil.ignore_patterns(".git"))
        code, said, _, seconds = loop(checkout)
        if code:
            sys.exit(f"the checkout fails without a break:\n{said}")
        print(f"| class | broken line | found by | s |\n|---|---|---|---:|\n| none | | | {seconds:.0f} |", flush=True)
        for file, before, after in read_breaks():
            if words and not any(word in file for word in words):
                continue
            source = checkout / file
            whole = source.read_text()
            source.write_text(broken(whole, before, after))
            code, said, failed, seconds = loop(checkout)
            source.write_text(whole)
            found = ", ".join(failed) if failed else "no test, but the loop failed" if code else "**nothing**"
            missed += code == 0
            name = pathlib.PurePath(file).stem
            print(f"| `{name}` | `{after}` | {found} | {seconds:.0f} |", flush=True)
            if code and not failed:
                print("\n".join(said.splitlines()[-20:]), file=sys.stderr)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=["draw", "run"])
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        print("\n".join(draw()))
    elif run(arguments.words) > DRAWN - ENOUGH:
        sys.exit(1)


if __name__ == "__main__":
    main()
