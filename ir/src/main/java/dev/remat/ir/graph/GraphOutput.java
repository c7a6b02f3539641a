package dev.remat.ir.graph;

import dev.remat.ir.ValueId;

/** A value that a caller reads after the step, under the name it asked for. */
public record GraphOutput(String name, ValueId value) {}
