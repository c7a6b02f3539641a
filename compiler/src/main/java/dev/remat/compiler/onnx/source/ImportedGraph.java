package dev.remat.compiler.onnx.source;

import dev.remat.compiler.onnx.statement.WrittenWeight;
import dev.remat.ir.TensorType;
import java.util.List;
import java.util.SequencedMap;

/**
 * A model that was made of a file.
 *
 * @param text in canonical form
 * @param weights which the text declares
 * @param nodes of the file
 * @param inputs types by names in the text, with symbols
 * @param notes what a reader should know: symbols that became one, numbers that are fixed
 * @param inputNames names in the file by names in the text
 * @param outputNames the same of the outputs
 * @param parameters how many numbers are trained
 * @param recognised how often each pattern was found
 */
public record ImportedGraph(
        String text,
        List<WrittenWeight> weights,
        int nodes,
        SequencedMap<String, TensorType> inputs,
        List<String> notes,
        SequencedMap<String, String> inputNames,
        SequencedMap<String, String> outputNames,
        long parameters,
        SequencedMap<String, Integer> recognised) {
    public ImportedGraph {
        weights = List.copyOf(weights);
        notes = List.copyOf(notes);
    }
}
