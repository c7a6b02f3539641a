/** What {@code sweep --rates} says. */
package dev.remat.cli.report.rate;
