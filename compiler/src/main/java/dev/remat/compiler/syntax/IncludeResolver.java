package dev.remat.compiler.syntax;

import dev.remat.ir.diagnostic.Source;

/** Finds the files that a model includes. */
public interface IncludeResolver {
    /** For text that stands alone: refuses every include. */
    IncludeResolver NONE = (path, from) -> new Refused("E0109", "nothing can be included here");

    /**
     * The text of {@code path}, as written in the include.
     *
     * @param from the including file
     */
    Result resolve(String path, Source from);

    /** A file or the reason why there is none. */
    sealed interface Result {}

    /** The same file always has the same {@link Source#file() name}. */
    record Found(Source source) implements Result {}

    /** @param code the diagnostic's code */
    record Refused(String code, String reason) implements Result {}
}
