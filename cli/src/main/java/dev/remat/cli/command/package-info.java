/** One class a subcommand, and how failures are told. */
package dev.remat.cli.command;
