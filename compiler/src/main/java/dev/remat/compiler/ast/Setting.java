package dev.remat.compiler.ast;

import java.util.Optional;

/** A line of {@code train { … }}, such as {@code minimize loss} or {@code seed 42}. */
public record Setting(Identifier name, Optional<Expression> value) {}
