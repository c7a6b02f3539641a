#!/usr/bin/env python3
"""Whether `import` takes 3 GiB of weights beside a model of ONNX in 512 MiB of heap, and leaves them as they are.

Three tables that are looked up and added, and a map of their sum, which the file has as [in, out]. The weights are a
sparse file; rows at the ends of each table say which they are. Ends with 1 where the import fails or a row is another.

    tests/benchmarks/onnx_large.py [FOLDER]
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES, ROWS, WIDTH, CLASSES = 3, 1 << 18, 1 << 10, 16
FLOAT, INT64 = 1, 7


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    content = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(content)) + content


def text(field, value):
    return message(field, value.encode())


def entry(key, value):
    return message(13, text(1, key), text(2, str(value)))


def weight(name, rows, width, offset):
    place = [entry("location", "weights.bin"), entry("offset", offset), entry("length", rows * width * 4)]
    return message(5, number(1, rows), number(1, width), number(2, FLOAT), text(8, name), *place, number(14, 1))


def node(operator, inputs, output):
    return message(1, *[text(1, name) for name in inputs], text(2, output), text(4, operator))


def value(field, name, dtype, *dims):
    shape = [message(1, text(2, dim) if isinstance(dim, str) else number(1, dim)) for dim in dims]
    return message(field, text(1, name), message(2, message(1, number(1, dtype), message(2, *shape))))


def model():
    size = ROWS * WIDTH * 4
    parts = [value(11, "tokens", INT64, "batch")]
    for i in range(TABLES):
        table = f"table.{i}.weight"
        parts += [weight(table, ROWS, WIDTH, i * size), node("Gather", [table, "tokens"], f"row{i}")]
    parts += [node("Add", ["row0", "row1"], "two"), node("Add", ["two", "row2"], "three")]
    parts += [weight("head.weight", WIDTH, CLASSES, TABLES * size), node("MatMul", ["three", "head.weight"], "scores")]
    parts.append(value(12, "scores", FLOAT, "batch", CLASSES))
    return number(1, 8) + message(7, *parts) + message(8, number(2, 17))


def row(table, at):
    return struct.pack(f"<{WIDTH}f", *[table + at / ROWS + i for i in range(WIDTH)])


def write(folder):
    (folder / "m.onnx").write_bytes(model())
    size = ROWS * WIDTH * 4
    with open(folder / "weights.bin", "wb") as weights:
        weights.truncate(TABLES * size + WIDTH * CLASSES * 4)
        for table in range(TABLES):
            for at in (0, ROWS - 1):
                weights.seek(table * size + at * WIDTH * 4)
                weights.write(row(table, at))
        weights.seek(TABLES * size)
        weights.write(struct.pack(f"<{WIDTH * CLASSES}f", *range(WIDTH * CLASSES)))


def differences(folder):
    with open(folder / "m.safetensors", "rb") as file:
        length = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(length))

        def read(name, begin, count):
            file.seek(8 + length + header[name]["data_offsets"][0] + begin)
            return file.read(count)

        for table in range(TABLES):
            for at in (0, ROWS - 1):
                if read(f"table.{table}.weight", at * WIDTH * 4, WIDTH * 4) != row(table, at):
                    yield f"row {at} of table {table} is another"
        transposed = [at * CLASSES + of for of in range(CLASSES) for at in range(WIDTH)]
        if read("head.weight", 0, WIDTH * CLASSES * 4) != struct.pack(f"<{WIDTH * CLASSES}f", *transposed):
            yield "the map is not transposed"


def main():
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as place:
        folder = pathlib.Path(place)
        write(folder)
        begin = time.monotonic()
        command = [ROOT / "remat", "import", folder / "m.onnx", "-o", folder / "m.model"]
        environment = dict(os.environ, REMAT_JAVA_OPTS="-Xmx512m")
        imported = subprocess.run(command, env=environment, capture_output=True, text=True)
        print(imported.stdout + imported.stderr, end="")
        if imported.returncode != 0:
            sys.exit(f"import ended with {imported.returncode}")
        found = list(differences(folder))
        size = (folder / "m.safetensors").stat().st_size
        seconds = time.monotonic() - begin
        print("\n".join(found) or f"{size:,} bytes with 512 MiB of heap, {seconds:.1f} s")
        sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
