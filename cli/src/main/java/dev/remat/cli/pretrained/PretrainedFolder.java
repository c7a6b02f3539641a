package dev.remat.cli.pretrained;

import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.ModelException;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * A folder as Hugging Face's {@code save_pretrained} writes it, or a snapshot in the cache of downloads, whose files
 * are links to {@code ../../blobs}. Other links out of the folder are refused.
 */
public final class PretrainedFolder {
    private static final String WEIGHTS = "E0705";
    private static final String LINK = "E0706";
    private static final String SINGLE = "model.safetensors";
    private static final String INDEX = "model.safetensors.index.json";
    private static final String SNAPSHOTS = "snapshots";
    private static final long LONGEST_REVISION = 64;
    private static final String BLOBS = "blobs";

    private final Path folder;
    private final Path real;

    private PretrainedFolder(Path folder, Path real) {
        this.folder = folder;
        this.real = real;
    }

    /**
     * Of a model in the cache of downloads, {@code models--NAME}, the snapshot that {@code refs/main} names.
     *
     * @throws IOException if it is no folder
     */
    public static PretrainedFolder open(Path folder) throws IOException {
        if (Files.notExists(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        if (!Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        Path used = snapshot(folder).orElse(folder);
        return new PretrainedFolder(used, used.toRealPath());
    }

    private static Optional<Path> snapshot(Path cache) throws IOException {
        Path main = cache.resolve("refs/main");
        if (!Files.isRegularFile(main) || Files.size(main) > LONGEST_REVISION) {
            return Optional.empty();
        }
        String revision = Files.readString(main, StandardCharsets.ISO_8859_1).strip();
        return Optional.of(cache.resolve(SNAPSHOTS).resolve(revision))
                .filter(folder -> revision.matches("[0-9a-f]+") && Files.isDirectory(folder));
    }

    /** As the user has named it. */
    public Path path() {
        return folder;
    }

    /** What the model is called: the folder, or of a snapshot the model whose cache it is in. */
    public String name() {
        Path named = real.getFileName();
        if (isSnapshot()) {
            Path cache = real.getParent().getParent().getFileName();
            named = cache == null ? named : cache;
        }
        return named == null ? "model" : named.toString().replaceFirst("^models--(.*--)?", "");
    }

    private boolean isSnapshot() {
        Path around = real.getParent();
        return around != null && around.endsWith(SNAPSHOTS) && around.getParent() != null;
    }

    Config config() throws IOException {
        return Config.read(file("config.json"));
    }

    /** A file that the folder need not have. */
    public Optional<Path> find(String name) throws IOException {
        return Files.exists(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)
                ? Optional.of(file(name))
                : Optional.empty();
    }

    /** @throws ModelException if it is a link to somewhere else (E0706) */
    private Path file(String name) throws IOException {
        Path file = folder.resolve(name);
        if (Files.notExists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        Path target = file.toRealPath();
        boolean isInside = target.startsWith(real)
                || isSnapshot() && target.startsWith(real.getParent().resolveSibling(BLOBS));
        if (!isInside) {
            throw refused(
                    LINK,
                    file,
                    "the link leads out of the folder, to " + target,
                    "put the file itself there; only in a cache of downloads may links lead to ../../blobs");
        }
        return file;
    }

    /**
     * The weights, mapped: of one file, or of all that the index names.
     *
     * @throws ModelException if there are none that can be read (E0705)
     */
    PretrainedWeights weights() throws IOException {
        List<SafetensorsFile> files = new ArrayList<>();
        try {
            if (find(SINGLE).isPresent()) {
                Path file = file(SINGLE);
                files.add(SafetensorsFile.open(file));
                return PretrainedWeights.of(files, file);
            }
            if (find(INDEX).isEmpty()) {
                throw noWeights();
            }
            Path index = file(INDEX);
            Map<String, String> shards = shards(index);
            Map<String, SafetensorsFile> byName = new TreeMap<>();
            for (String name : new TreeSet<>(shards.values())) {
                SafetensorsFile shard = SafetensorsFile.open(file(name));
                files.add(shard);
                byName.put(name, shard);
            }
            shards.forEach((tensor, name) -> {
                if (byName.get(name).find(tensor).isEmpty()) {
                    throw new CorruptFileException(index, name + " lacks " + tensor + ", which the index has there");
                }
            });
            return PretrainedWeights.of(files, index);
        } catch (IOException | RuntimeException e) {
            files.forEach(SafetensorsFile::close);
            throw e;
        }
    }

    /** Files by tensor; their names are those of files of this folder. */
    private static Map<String, String> shards(Path index) throws IOException {
        if (!(Config.read(index).find("weight_map").orElse(null) instanceof Map<?, ?> map) || map.isEmpty()) {
            throw new CorruptFileException(index, "has no \"weight_map\" of tensors");
        }
        Map<String, String> shards = new TreeMap<>();
        map.forEach((tensor, file) -> {
            if (!(file instanceof String name) || !name.matches("[\\w-][\\w.-]*\\.safetensors")) {
                throw new CorruptFileException(
                        index, tensor + " is in " + file + ", which is no safetensors file here");
            }
            shards.put((String) tensor, name);
        });
        return shards;
    }

    private ModelException noWeights() throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            Optional<Path> pickle = entries.filter(entry -> entry.getFileName()
                            .toString()
                            .matches(".*\\.(bin|pt|pth|ckpt|pkl)|.*\\.bin\\.index\\.json"))
                    .sorted()
                    .findFirst();
            return pickle.map(file -> refused(
                            WEIGHTS,
                            file,
                            "weights in a pickle are not read: opening one may run any program that its author wrote",
                            "PyTorch writes safetensors: model.save_pretrained(\"" + folder.getFileName()
                                    + "\", safe_serialization=True)"))
                    .orElseGet(() ->
                            refused(WEIGHTS, folder.resolve(SINGLE), "there is neither " + SINGLE + " nor " + INDEX));
        }
    }

    private static ModelException refused(String code, Path file, String message, String... notes) {
        return new ModelException(List.of(Diagnostic.error(code, new Location(file.toString(), 1, 1), message, notes)));
    }
}
