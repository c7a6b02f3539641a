package dev.remat.cli.onnx;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ShellWords;
import dev.remat.compiler.onnx.source.ImportRequest;
import dev.remat.compiler.onnx.source.ImportedGraph;
import dev.remat.compiler.onnx.statement.Symbols;
import dev.remat.ir.Dim;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.json.JsonFields;
import dev.remat.runtime.io.StoredTensor;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What became of a file of ONNX, and what to do next.
 *
 * @param check against the text of single nodes, where that is another and can be compared
 */
public record OnnxReport(
        Path file,
        Path model,
        Path weights,
        ImportRequest request,
        ImportedGraph imported,
        List<StoredTensor> tensors,
        Optional<SelfCheck.Outcome> check) {
    public OnnxReport {
        tensors = List.copyOf(tensors);
    }

    private long lines() {
        return imported.text().lines().count();
    }

    private long bytes() {
        return tensors.stream().mapToLong(StoredTensor::byteSize).sum();
    }

    private List<String> symbols() {
        return imported.inputs().values().stream()
                .flatMap(type -> type.shape().dims().stream())
                .filter(Symbols::isSymbol)
                .map(Dim::toString)
                .distinct()
                .toList();
    }

    private List<String> next() {
        List<String> words = new ArrayList<>(List.of("remat", request.loss().isPresent() ? "train" : "eval"));
        words.add(model.toString());
        if (!symbols().isEmpty()) {
            words.addAll(List.of(
                    "--set", symbols().stream().map(symbol -> symbol + "=4").collect(Collectors.joining(","))));
        }
        words.addAll(List.of("--init", weights.toString(), "--data", "PLACE"));
        words.addAll(
                request.loss().isPresent()
                        ? List.of("--steps", "100", "--save", "run")
                        : List.of("--all", "-o", "outputs.safetensors"));
        return List.of(ShellWords.join(words));
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>(imported.notes());
        imported.inputNames().forEach((name, inFile) -> renamed(notes, "input", name, inFile));
        imported.outputNames().forEach((name, inFile) -> renamed(notes, "output", name, inFile));
        if (!request.isPlain() && check.isEmpty()) {
            notes.add("the text was not compared with that of single nodes: it draws at random, takes none of the sizes"
                    + " that were tried, or 256 MiB or 5 s for each");
        }
        if (request.loss().isPresent()) {
            notes.add("exporters leave dropout out and fold batch norms into convolutions: see docs/import.md");
        }
        return notes;
    }

    private static void renamed(List<String> notes, String what, String name, String inFile) {
        if (!name.equals(inFile)) {
            notes.add("the " + what + " " + name + " is '" + inFile + "' in the file");
        }
    }

    public void print(PrintStream out) {
        out.println(model + ": " + Count.of(imported.nodes(), "node") + " became " + Count.of(lines(), "line") + ", "
                + Count.of(imported.parameters(), "parameter"));
        out.println(weights + ": " + Count.of(tensors.size(), "tensor") + ", " + ByteSize.exactly(bytes()));
        if (!imported.recognised().isEmpty()) {
            out.println("recognised: "
                    + imported.recognised().entrySet().stream()
                            .map(each -> each.getValue() + " × " + each.getKey())
                            .collect(Collectors.joining(", ")));
        }
        check.ifPresent(
                outcome -> out.println("checked: agrees with single nodes at " + Count.of(outcome.sizes(), "size")
                        + " to " + String.format(Locale.ROOT, "%.1e", outcome.difference())));
        notes().forEach(note -> out.println("note: " + note));
        out.println("next:");
        next().forEach(command -> out.println("  " + command));
    }

    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-import-onnx/1");
        out.writeStringField("file", file.toString());
        out.writeStringField("model", model.toString());
        out.writeNumberField("nodes", imported.nodes());
        out.writeNumberField("lines", lines());
        out.writeNumberField("parameters", imported.parameters());
        out.writeStringField("weights", weights.toString());
        out.writeNumberField("tensors", tensors.size());
        out.writeNumberField("bytes", bytes());
        if (check.isPresent()) {
            out.writeNumberField("difference", check.get().difference());
        }
        JsonFields.array(out, "symbols", symbols(), symbol -> out.writeString(symbol));
        JsonFields.array(out, "notes", notes(), note -> out.writeString(note));
        JsonFields.array(out, "next", next(), command -> out.writeString(command));
    }
}
