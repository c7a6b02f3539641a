package dev.remat.compiler.ast;

import java.util.Optional;

/** A parameter of a model or layer: {@code name: type = fallback}, type and fallback optional. */
public record Parameter(Identifier name, Optional<ParameterType> type, Optional<Expression> fallback) {}
