package dev.remat.compiler.ast;

import java.util.Optional;

/** An argument of a call: {@code value} or {@code name = value}. */
public record Argument(Optional<Identifier> name, Expression value) {}
