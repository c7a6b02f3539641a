#!/usr/bin/env python3
"""Heights and seconds of remat pack.

Tight instances are full rectangles of time and memory cut into buffers, so that their height is known to be possible;
the buffers of a long step are those of a chain whose forward results wait for the backward, some over long skips.

    tests/benchmarks/pack_buffers.py                       # all that is generated
    tests/benchmarks/pack_buffers.py A.csv:1048576 …       # tables from elsewhere, each within a capacity
"""

import random
import sys
import tempfile

from planning import Run

TIME = 20_000
HEIGHT = 1 << 20
COARSE = 1 << 10


def cut(count, time, height, seed, pinwheels=0):
    """Cuts of the largest of three rectangles drawn: straight ones, and a share that makes a pinwheel of five."""
    draw = random.Random(seed)
    rectangles = [(0, time, 0, height)]
    while len(rectangles) < count:
        drawn = [draw.randrange(len(rectangles)) for _ in range(3)]
        at = max(drawn, key=lambda i: (rectangles[i][1] - rectangles[i][0]) * (rectangles[i][3] - rectangles[i][2]))
        left, right, bottom, top = rectangles[at]
        wide, high = (right - left) / time, (top - bottom) / height
        if pinwheels and min(right - left, top - bottom) > 8 and draw.random() < pinwheels:
            x1, x2 = sorted(draw.sample(range(left + 1, right), 2))
            y1, y2 = sorted(draw.sample(range(bottom + 1, top), 2))
            rectangles[at] = (left, x2, bottom, y1)
            rectangles += [(x2, right, bottom, y2), (x1, right, y2, top), (left, x1, y1, top), (x1, x2, y1, y2)]
        elif right - left > 1 and draw.random() * (wide + high) < wide:
            x = draw.randrange(left + 1, right)
            rectangles[at] = (left, x, bottom, top)
            rectangles.append((x, right, bottom, top))
        elif top - bottom > 1:
            y = draw.randrange(bottom + 1, top)
            rectangles[at] = (left, right, bottom, y)
            rectangles.append((left, right, y, top))
    draw.shuffle(rectangles)
    return [(left, right, top - bottom) for left, right, bottom, top in rectangles]


def step(nodes, seed):
    """Of each forward node a result that its backward reads last, a gradient, and now and then a skip."""
    draw = random.Random(seed)
    buffers = []
    for i in range(nodes):
        size = 256 * draw.randrange(1, 4096)
        buffers.append((i, 2 * nodes - i, size))
        buffers.append((2 * nodes - i - 1, 2 * nodes - i + 1, size))
        if draw.random() < 0.1:
            buffers.append((i, min(2 * nodes, i + draw.randrange(2, 1000)), 256 * draw.randrange(1, 1024)))
    return buffers


def report(name, file, capacity):
    run = Run("pack", file, *(["--capacity", capacity] if capacity else []))
    answer = run.answer
    cells = [f"{answer['buffers']:,}", f"{answer['liveSum']:,}", f"{answer['height']:,}",
             f"{100 * (answer['height'] / answer['lowerBound'] - 1):.3f} %", answer["foundBy"],
             f"{answer['seconds']:.2f}"] if answer else ["–"] * 6
    print(f"| {name} | " + " | ".join(cells) + f" | {run.cpu_seconds:.1f} |", flush=True)


def main():
    print("| instance | buffers | live sum | height | over the bound | found by | s | CPU s with start |")
    print("|---|---:|---:|---:|---:|---|---:|---:|")
    for argument in sys.argv[1:]:
        file, capacity = argument.rsplit(":", 1)
        report(f"{file.rsplit('/', 1)[-1]} within {capacity}", file, capacity)
    if len(sys.argv) > 1:
        return
    instances = [(f"cut, {count} buffers, seed {seed}", cut(count, TIME, HEIGHT, seed))
                 for count in (150, 250, 350, 500) for seed in range(2)]
    instances += [(f"cut at {COARSE}ths, {count} buffers, seed {seed}", cut(count, TIME, COARSE, seed))
                  for count in (150, 250, 350, 500) for seed in range(2)]
    instances += [(f"pinwheels, share {share}, seed {seed}", cut(300, 200, 256, seed, share))
                  for share in (0.3, 0.6) for seed in range(3)]
    instances += [(f"step of {2 * nodes:,} nodes", step(nodes, 0)) for nodes in (5_000, 50_000)]
    for name, buffers in instances:
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
            table.write("id,lower,upper,size\n")
            table.writelines(f"b{i},{lower},{upper},{size}\n" for i, (lower, upper, size) in enumerate(buffers))
            table.flush()
            report(name, table.name, None)


if __name__ == "__main__":
    main()
