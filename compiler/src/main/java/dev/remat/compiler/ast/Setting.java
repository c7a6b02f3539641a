package dev.remat.compiler.ast;

import java.util.Optional;

/**
 * A line of {@code train { … }}, such as {@code minimize loss} or {@code seed 42}.
 *
 * @param value a tuple where several are listed
 * @param details settings in a block of their own: {@code group "*.bias" { … }}
 */
public record Setting(Identifier name, Optional<Expression> value, Optional<SettingBlock> details) {}
