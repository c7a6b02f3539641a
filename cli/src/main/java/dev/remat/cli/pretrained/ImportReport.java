package dev.remat.cli.pretrained;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.ShellWords;
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
 * What was imported, what was left, and what to do next.
 *
 * @param tokenizer of the folder, if it has one that can be read
 */
public record ImportReport(Path folder, Path model, Path weights, ImportedModel imported, Optional<Path> tokenizer) {
    private static final long MILLION = 1_000_000;

    private long lines() {
        return imported.text().lines().count();
    }

    private long bytes() {
        return imported.tensors().stream().mapToLong(StoredTensor::byteSize).sum();
    }

    /** Types of elements, the commonest first. */
    private String types() {
        return imported.tensors().stream()
                .map(tensor -> tensor.type().name().toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .collect(Collectors.joining(" and "));
    }

    private String parameters() {
        long count = imported.parameters();
        return count < MILLION
                ? Count.of(count, "parameter")
                : String.format(Locale.ROOT, "%.1f million parameters", count / (double) MILLION);
    }

    private List<String> next() {
        String sizes = "B=4" + (imported.length() == 0 ? "" : ",T=" + imported.length());
        List<String> set = List.of(model.toString(), "--set", sizes);
        List<String> weights = List.of("--init", this.weights.toString());
        if (imported.task() == Task.FEATURES) {
            List<String> outputs = List.of("--data", "PLACE", "--all", "-o", "outputs.safetensors");
            return List.of(command("eval", List.of(set, weights, outputs)));
        }
        List<String> budget = List.of("--budget", "SIZE");
        return List.of(
                command("plan", List.of(set)),
                command("train", List.of(set, budget, weights, data(), List.of("--steps", "100", "--save", "run"))));
    }

    /** Tokens are the folder's, where it says how text becomes tokens. */
    private List<String> data() {
        List<String> words = new ArrayList<>();
        boolean reads = imported.task() == Task.CAUSAL_LM || imported.task() == Task.CLASSIFICATION;
        if (reads && imported.length() > 0 && tokenizer.isPresent()) {
            words.addAll(List.of("--tokenizer", tokenizer.get().toString()));
        }
        words.addAll(
                imported.task() == Task.CAUSAL_LM
                        ? List.of("--text", "FILE")
                        : List.of("--data", words.isEmpty() ? "PLACE" : "FILE.csv"));
        return words;
    }

    private static String command(String name, List<List<String>> words) {
        return "remat " + name + " "
                + ShellWords.join(words.stream().flatMap(List::stream).toList());
    }

    public void print(PrintStream out) {
        out.println(model + ": " + imported.family() + " for " + imported.task().label() + ", "
                + Count.of(lines(), "line") + ", " + parameters());
        out.println(weights + ": " + Count.of(imported.tensors().size(), "tensor") + ", " + ByteSize.exactly(bytes())
                + " of " + types());
        grouped(out, "not used: ", imported.left());
        grouped(out, "new, and starts as the model says: ", imported.fresh());
        out.println("next:");
        next().forEach(command -> out.println("  " + command));
    }

    private static void grouped(PrintStream out, String what, List<String> names) {
        if (!names.isEmpty()) {
            out.println(what
                    + MatchWeights.grouped(names).entrySet().stream()
                            .map(group -> (group.getValue() > 1 ? group.getValue() + " × " : "") + group.getKey())
                            .collect(Collectors.joining(", ")));
        }
    }

    public void writeTo(JsonGenerator out) throws IOException {
        out.writeStringField("schema", "remat-import/1");
        out.writeStringField("folder", folder.toString());
        out.writeStringField("family", imported.family());
        out.writeStringField("task", imported.task().label());
        out.writeStringField("model", model.toString());
        out.writeNumberField("lines", lines());
        out.writeNumberField("parameters", imported.parameters());
        out.writeStringField("weights", weights.toString());
        out.writeNumberField("tensors", imported.tensors().size());
        out.writeNumberField("bytes", bytes());
        JsonFields.array(out, "unused", imported.left(), name -> out.writeString(name));
        JsonFields.array(out, "fresh", imported.fresh(), name -> out.writeString(name));
        JsonFields.array(out, "next", next(), command -> out.writeString(command));
    }
}
