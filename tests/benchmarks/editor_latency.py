#!/usr/bin/env python3
"""How soon `remat lsp` answers while somebody types in a model of a thousand lines, and what memory it takes.

Times are from a message to its answer, findings from the last key on; processor time is that of the server. The model is
planned beside the typing where --plan is given.

    tests/benchmarks/editor_latency.py [--keys 200] [--plan "--set B=4 --strategy sqrt"] [--server "./remat lsp"]
"""

import argparse
import json
import os
import queue
import statistics
import subprocess
import threading
import time

URI = "file:///models/thousand.model"


def model(plan):
    """Forty-two layers of twenty lines each, and a body that calls each of them and as much beside."""
    lines = ["remat 1", ""]
    if plan:
        lines += ["//! plan " + plan, ""]
    for i in range(42):
        lines += [f"// Block number {i}.", f"layer Block{i}(x, width: int = 32, drop: float = 0.1) {{"]
        lines += ["  h = layer_norm(x)"]
        for k in range(7):
            lines += [f"  h{k} = linear(h, 2 * width) as up{k} |> gelu", f"  h = h + linear(h{k}, width) as down{k}"]
        lines += ["  g = sigmoid(linear(h, width) as gate)", "  return x + dropout(h * g, drop)", "}", ""]
    lines += ["model Thousand(width: int = 32) {", "  symbol B", "  input x: f32[B, width]", "  input y: i32[B]", "  z = x"]
    for i in range(42):
        lines += [f"  z = Block{i}(z, width)", f"  a{i} = relu(z)", f"  z = z + a{i} / 2"]
    lines += ["  loss = cross_entropy(linear(z, 10) as head, y)", "}", ""]
    lines += ["train {", "  minimize loss", "  optimizer adamw(lr = 1e-3)", "}"]
    return "\n".join(lines) + "\n"


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.count = 0
        self.answers = {}
        self.findings = {}
        self.changed = threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            length = 0
            while True:
                line = self.process.stdout.readline().strip()
                if not line:
                    break
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            if not length:
                return
            message = json.loads(self.process.stdout.read(length))
            with self.changed:
                if "method" not in message:
                    self.answers[message["id"]] = (time.perf_counter(), message)
                elif message["method"] == "textDocument/publishDiagnostics":
                    told = message["params"]
                    self.findings[told.get("version")] = (time.perf_counter(), told["diagnostics"])
                self.changed.notify_all()

    def send(self, message):
        body = json.dumps(dict(message, jsonrpc="2.0")).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def ask(self, method, **params):
        """The answer and the milliseconds that it took."""
        self.count += 1
        number = self.count
        begin = time.perf_counter()
        self.send({"id": number, "method": method, "params": params})
        with self.changed:
            self.changed.wait_for(lambda: number in self.answers, 120)
            end, message = self.answers.pop(number)
        if "error" in message:
            raise RuntimeError(message["error"])
        return message["result"], 1e3 * (end - begin)

    def findings_of(self, version):
        with self.changed:
            self.changed.wait_for(lambda: version in self.findings, 120)
            return self.findings[version]

    def cpu(self):
        """Seconds of processor time so far."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MiB that it takes now, and took at most."""
        status = dict(line.split(":", 1) for line in open(f"/proc/{self.process.pid}/status") if ":" in line)
        return tuple(int(status[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))


def told(name, millis):
    ordered = sorted(millis)
    print(
        f"{name:12} median {statistics.median(ordered):6.1f} ms   "
        f"of 100 the 95th {ordered[int(0.95 * (len(ordered) - 1))]:6.1f} ms   most {ordered[-1]:6.1f} ms"
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--plan", default="")
    parser.add_argument("--server", default="./remat lsp")
    asked = parser.parse_args()
    text = model(asked.plan)
    server = Server(asked.server.split())
    server.ask("initialize", processId=os.getpid(), rootUri=None, capabilities={})
    document = {"uri": URI}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": dict(document, languageId="remat", version=1, text=text)}})
    server.findings_of(1)
    lines = text.split("\n")
    line = next(i for i, each in enumerate(lines) if "a20 = " in each)
    # A statement key by key, taken back and typed again.
    typed = "  b = linear(z, width) |> gelu"
    version, column = 1, 0
    findings, completions, hovers = [], [], []
    begin_cpu = 0
    for key in range(-20, asked.keys):
        if key == 0:
            findings, completions, hovers = [], [], []
            begin_cpu = server.cpu()
        at = {"line": line, "character": column}
        insert = typed[column] if column < len(typed) else ""
        end = at if insert else {"line": line, "character": 0}
        change = {"range": {"start": at if insert else end, "end": at}, "text": insert}
        if column == 0:
            change["text"] = insert
        version += 1
        begin = time.perf_counter()
        server.send({"method": "textDocument/didChange", "params": {"textDocument": dict(document, version=version), "contentChanges": [change]}})
        column = column + 1 if insert else 0
        cursor = {"line": line, "character": column}
        completions.append(server.ask("textDocument/completion", textDocument=document, position=cursor)[1])
        findings.append(1e3 * (server.findings_of(version)[0] - begin))
        hovers.append(server.ask("textDocument/hover", textDocument=document, position={"line": line - 1, "character": 2})[1])
        time.sleep(0.02)
    spent = server.cpu() - begin_cpu
    now, most = server.memory()
    print(f"{len(lines)} lines, {asked.keys} keys" + (f", planned with {asked.plan}" if asked.plan else ""))
    told("findings", findings)
    told("completion", completions)
    told("hover", hovers)
    print(f"processor    {1e3 * spent / asked.keys:.1f} ms a key")
    print(f"memory       {now:.0f} MiB, at most {most:.0f} MiB")
    server.ask("shutdown")
    server.send({"method": "exit", "params": {}})
    raise SystemExit(server.process.wait(30))


if __name__ == "__main__":
    main()
