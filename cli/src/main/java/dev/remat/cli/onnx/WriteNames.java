package dev.remat.cli.onnx;

import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.statement.WrittenWeight;

/** What parameters are called in the file that they come from, as {@code export --names} reads it. */
public final class WriteNames {
    private WriteNames() {}

    /** One line for each weight that is whole in the file; names with blanks cannot stand in such a text. */
    public static String text(ImportedGraph imported) {
        StringBuilder text = new StringBuilder();
        for (WrittenWeight weight : imported.weights()) {
            boolean isWhole = !(weight.layout() instanceof WrittenWeight.Layout.Parts);
            if (weight.origin().isPresent()
                    && isWhole
                    && weight.origin().get().name().matches("\\S+")) {
                text.append(weight.name())
                        .append(' ')
                        .append(weight.origin().get().name());
                text.append(weight.layout() instanceof WrittenWeight.Layout.Transposed ? " T\n" : "\n");
            }
        }
        return text.toString();
    }
}
