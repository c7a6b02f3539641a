package dev.remat.cli.option;

import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.io.SourceFiles;
import dev.remat.runtime.io.CorruptFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Option;

/** What tensors of the model are called elsewhere. */
public final class TensorNames {
    @Option(names = "--prefix", paramLabel = "TEXT", defaultValue = "", description = "Begin every name with this.")
    private String prefix;

    @Option(
            names = "--names",
            paramLabel = "FILE",
            description =
                    "A text with two columns, the model's name of a tensor and the one to write; a tensor that stands"
                        + " there twice is written twice, as a tied weight is, and one that does not keeps its name.")
    private Path file;

    /** Null if there is none. */
    public Path file() {
        return file;
    }

    /**
     * By name of the model the names to write.
     *
     * @param tensors of the model
     * @throws CorruptFileException if the file is not UTF-8, a line is not two names, one of them the model's, or two
     *     tensors get one name
     */
    public Map<String, List<String>> of(List<String> tensors) throws IOException {
        Map<String, List<String>> renamings = file == null ? Map.of() : read(tensors);
        Map<String, List<String>> names = new LinkedHashMap<>();
        Set<String> taken = new LinkedHashSet<>();
        for (String tensor : tensors) {
            List<String> own = renamings.getOrDefault(tensor, List.of(tensor));
            for (String name : own) {
                if (!taken.add(name)) {
                    throw new CorruptFileException(file, "gives two tensors the name " + name);
                }
            }
            names.put(tensor, own.stream().map(name -> prefix + name).toList());
        }
        return names;
    }

    private Map<String, List<String>> read(List<String> tensors) throws IOException {
        Map<String, List<String>> renamings = new LinkedHashMap<>();
        ReadableFile.checkStream(file);
        List<String> lines = SourceFiles.decode(Files.readAllBytes(file))
                .orElseThrow(() -> new CorruptFileException(file, "is not UTF-8 text"))
                .lines()
                .toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] columns = line.split("\\s+");
            if (columns.length != 2) {
                throw new CorruptFileException(file, "line " + (i + 1) + " is not two names");
            }
            if (!tensors.contains(columns[0])) {
                throw new CorruptFileException(file, "line " + (i + 1) + ": the model has no tensor " + columns[0]);
            }
            renamings.computeIfAbsent(columns[0], name -> new ArrayList<>()).add(columns[1]);
        }
        return renamings;
    }
}
