/** The terminal: output, progress, interruption, exit codes, and how sizes and JSON are written. */
package dev.remat.cli.console;
