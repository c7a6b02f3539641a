// Pictures for docs/editors.md: what `remat lsp` answers about a sample, shown by Monaco in a headless Chromium,
// which the environment's CHROMIUM names unless it is /usr/bin/chromium.
// node pictures.js COMMAND MODEL PLAN FOLDER, where COMMAND starts the server and PLAN is what the model is planned with.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const [command, model, plan, folder] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const text = readFileSync(model, "utf8").replace("remat 1\n", `remat 1\n\n//! plan ${plan}`);
const uri = pathToFileURL(resolve(model)).href;
const textDocument = { uri };

const server = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
let received = Buffer.alloc(0);
let count = 0;
server.stdout.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  for (;;) {
    const head = received.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, head).toString())[1]);
    if (received.length < head + 4 + length) return;
    const message = JSON.parse(received.subarray(head + 4, head + 4 + length).toString());
    received = received.subarray(head + 4 + length);
    if (message.method === undefined) waiting.get(message.id)(message.result);
  }
});
function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
  server.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
  server.stdin.write(body);
}
function ask(method, params) {
  const id = ++count;
  send({ id, method, params });
  return new Promise((answered) => waiting.set(id, answered));
}

const init = await ask("initialize", { processId: process.pid, rootUri: null, capabilities: {} });
send({ method: "textDocument/didOpen", params: { textDocument: { ...textDocument, languageId: "remat", version: 1, text } } });
let lenses = [];
while (!lenses.length || lenses[0].command.title.includes("planning")) {
  await new Promise((later) => setTimeout(later, 500));
  lenses = await ask("textDocument/codeLens", { textDocument });
}
const lines = text.split("\n");
const line = lines.findIndex((each) => each.startsWith("  x = dropout"));
const position = { line, character: lines[line].indexOf("x =") };
const answers = {
  text,
  position,
  lenses,
  legend: init.capabilities.semanticTokensProvider.legend,
  tokens: (await ask("textDocument/semanticTokens/full", { textDocument })).data,
  hints: await ask("textDocument/inlayHint", {
    textDocument,
    range: { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } },
  }),
  hover: await ask("textDocument/hover", { textDocument, position }),
};
await ask("shutdown", null);
send({ method: "exit" });

const page = readFileSync(join(here, "picture.html"), "utf8");
const monaco = pathToFileURL(join(here, "node_modules/monaco-editor/min/vs")).href;
const work = mkdtempSync(join(tmpdir(), "pictures"));
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--hide-scrollbars"],
});
for (const shown of ["hints", "hover"]) {
  const file = join(work, shown + ".html");
  const data = JSON.stringify({ ...answers, shown, monaco }).replaceAll("<", "\\u003c");
  writeFileSync(file, page.replace("/*answers*/", () => data));
  const tab = await browser.newPage();
  await tab.setViewport({ width: 1180, height: shown === "hover" ? 740 : 1000 });
  await tab.goto(pathToFileURL(file).href);
  await tab.waitForFunction(() => document.body.innerText.replaceAll("\u00a0", " ").includes("KiB kept"));
  if (shown === "hover") {
    await tab.evaluate(() => window.hover());
    await tab.waitForFunction(() => document.querySelector(".monaco-hover")?.innerText.includes("again by"));
  }
  await new Promise((later) => setTimeout(later, 1000));
  await tab.screenshot({ path: resolve(folder, shown + ".png") });
}
await browser.close();
