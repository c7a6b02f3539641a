package dev.remat.compiler.trace;

import dev.remat.ir.diagnostic.Location;

/**
 * A line of the program after a pass. Values stand under their names, which passes keep, so that what a pass leaves
 * alone has the same line before and after it.
 *
 * @param name of the value that it is about: of a recomputation that of its original; empty for none
 * @param location of the model line that it comes from
 */
public record IrLine(String text, String name, Location location) {}
