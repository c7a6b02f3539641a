package dev.remat.compiler.onnx.pattern;

import dev.remat.compiler.onnx.read.OnnxNode;
import java.util.List;
import java.util.Optional;

/** Recognises a group of nodes by the last of them. */
@FunctionalInterface
interface Pattern {
    /**
     * What takes the place of {@code last}, the last of these making its results. The others of the group must be read
     * by the group alone, and are left out later.
     */
    Optional<List<OnnxNode>> match(OnnxNode last, Wiring wiring);
}
