/** Groups of options that commands share, and how their values are read. */
package dev.remat.cli.option;
