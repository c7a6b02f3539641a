package dev.remat.compiler.onnx.source;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What a file is imported as.
 *
 * @param name of the model in its text
 * @param origin of the first comment: which file it is
 * @param inputs values that become inputs; empty for those of the file
 * @param outputs values that become outputs; empty for those of the file
 * @param set numbers of inputs, and of extents by the names that the file or the text gives them
 * @param isPlain whether every node is a statement
 * @param loss that a train block minimises; none without it
 */
public record ImportRequest(
        String name,
        String origin,
        List<String> inputs,
        List<String> outputs,
        SequencedMap<String, List<Double>> set,
        boolean isPlain,
        Optional<Loss> loss) {
    public ImportRequest {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        set = new LinkedHashMap<>(set);
    }

    /** The same, every node a statement and without a loss. */
    public ImportRequest plain() {
        return new ImportRequest(name, origin, inputs, outputs, set, true, Optional.empty());
    }
}
