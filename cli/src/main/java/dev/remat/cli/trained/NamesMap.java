package dev.remat.cli.trained;

import dev.remat.compiler.onnx.WeightUse;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.io.SourceFiles;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/** What the model's tensors are called elsewhere, and how they lie there. */
public final class NamesMap {
    /** In place of the model's name: a tensor elsewhere that the model does without. */
    static final String NOTHING = "-";

    /**
     * A line of the text.
     *
     * @param number of the line, from 1; 0 of a tensor that no line is about
     * @param tensor the model's name
     * @param name elsewhere, prefix included
     */
    record Line(int number, String tensor, String name, TensorPlace place) {}

    private final Path file;
    private final String prefix;
    private final SequencedMap<String, List<Line>> byTensor = new LinkedHashMap<>();
    private final Map<String, List<Line>> byName = new HashMap<>();

    private NamesMap(Path file, String prefix, List<Line> lines) {
        this.file = file;
        this.prefix = prefix;
        for (Line line : lines) {
            byTensor.computeIfAbsent(line.tensor(), _ -> new ArrayList<>()).add(line);
            byName.computeIfAbsent(line.name(), _ -> new ArrayList<>()).add(line);
        }
    }

    /** Every tensor has its own name. */
    public static NamesMap same() {
        return new NamesMap(null, "", List.of());
    }

    /**
     * Reads lines of the model's name, the other one and, where layouts differ, a {@link TensorPlace}.
     *
     * @param file null if there is none
     * @throws CorruptFileException if the file is not UTF-8 or a line is something else
     */
    public static NamesMap read(Path file, String prefix) throws IOException {
        if (file == null) {
            return new NamesMap(null, prefix, List.of());
        }
        ReadableFile.checkStream(file);
        List<String> text = SourceFiles.decode(Files.readAllBytes(file))
                .orElseThrow(() -> new CorruptFileException(file, "is not UTF-8 text"))
                .lines()
                .toList();
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < text.size(); i++) {
            String line = text.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                lines.add(parse(file, prefix, i + 1, line.split("\\s+")));
            }
        }
        return new NamesMap(file, prefix, lines);
    }

    private static Line parse(Path file, String prefix, int number, String[] columns) {
        if (columns.length < 2 || columns.length > 3) {
            throw new CorruptFileException(
                    file, "line " + number + " is not two names, with T, [0:768] or T[0:768] behind them at most");
        }
        TensorPlace place = columns.length == 2
                ? TensorPlace.WHOLE
                : TensorPlace.parse(columns[2])
                        .orElseThrow(() -> new CorruptFileException(
                                file,
                                "line " + number + ": " + columns[2]
                                        + " is not T, for a transposed matrix, [0:768], for"
                                        + " rows from 0 up to 768, or T[0:768]"));
        return new Line(number, columns[0], prefix + columns[1], place);
    }

    /** @throws CorruptFileException if a line names a tensor that the model does not have */
    void check(Set<String> model) {
        for (List<Line> lines : byTensor.values()) {
            Line line = lines.getFirst();
            if (!line.tensor().equals(NOTHING) && !model.contains(line.tensor())) {
                throw wrong(line, "the model has no tensor " + line.tensor());
            }
        }
    }

    /** All tensors of the model, or {@link #NOTHING}, that lines are about. */
    Set<String> tensors() {
        return Collections.unmodifiableSet(byTensor.keySet());
    }

    /** What one of the model's tensors is called elsewhere: as its lines say, or as it is here. */
    List<Line> of(String tensor) {
        return byTensor.getOrDefault(tensor, List.of(new Line(0, tensor, prefix + tensor, TensorPlace.WHOLE)));
    }

    /** How one of the model's tensors is had from those elsewhere. */
    public WeightUse use(String tensor) {
        Line line = of(tensor).getFirst();
        return new WeightUse(
                line.name(),
                line.place().transposed(),
                line.place().rows().map(rows -> new WeightUse.Rows(rows.begin(), rows.end())));
    }

    /** Lines about a tensor elsewhere. */
    List<Line> about(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /** The model's name of a tensor elsewhere that no line is about; empty if that one is called something else. */
    Optional<String> unchanged(String name) {
        return Optional.of(name)
                .filter(whole -> whole.startsWith(prefix))
                .map(whole -> whole.substring(prefix.length()))
                .filter(tensor -> !byTensor.containsKey(tensor));
    }

    /** What is wrong with the text, at a line of it. */
    CorruptFileException wrong(Line line, String problem) {
        return new CorruptFileException(file, (line.number() == 0 ? "" : "line " + line.number() + ": ") + problem);
    }
}
