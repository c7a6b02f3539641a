/** The {@code remat} command: one class a subcommand, option groups that they share, and how failures are told. */
package dev.remat.cli;
