"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** Starts the server for all models of the window. */
function activate(context) {
  const settings = () => vscode.workspace.getConfiguration("remat");
  const run = { command: settings().get("command", "remat"), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("remat", "remat", run, {
    documentSelector: [{ language: "remat" }],
    initializationOptions: { plan: settings().get("plan", "") },
    synchronize: {
      configurationSection: "remat",
      fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{model,plan}"),
    },
  });
  context.subscriptions.push(
    vscode.commands.registerCommand("remat.openPlan", () => {
      const uri = vscode.window.activeTextEditor?.document.uri.toString();
      return vscode.commands.executeCommand("remat.showPlan", uri);
    }),
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
