package dev.remat.runtime.io;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Samples in arrays: for every input of the model an array of its name whose first dimension counts the samples and
 * whose others are the input's after the batch. Read from one {@code .safetensors} or {@code .npy} file or from a
 * directory of them; an npy array has its file's name. The last tenth of the samples is held back.
 */
public final class ArrayDataset implements Dataset {
    private final Path path;
    private final List<AutoCloseable> open;
    private final Map<String, StoredTensor> arrays;
    /** The file of each array. */
    private final Map<String, MappedSize> mapped = new TreeMap<>();

    private ArrayDataset(Path path, List<AutoCloseable> open, Map<String, StoredTensor> arrays) {
        this.path = path;
        this.open = open;
        this.arrays = arrays;
    }

    /** @throws CorruptFileException if a file is damaged or two files hold an array of the same name */
    public static ArrayDataset open(Path path) throws IOException {
        ArrayDataset dataset = new ArrayDataset(path, new ArrayList<>(), new TreeMap<>());
        try {
            for (Path file : arrayFiles(path)) {
                dataset.add(file);
            }
            return dataset;
        } catch (IOException | RuntimeException e) {
            dataset.close();
            throw e;
        }
    }

    /** Whether a place is a file or folder of arrays, by names. */
    public static boolean isAt(Path place) throws IOException {
        return arrayFiles(place).stream().anyMatch(file -> isSafetensors(file) || isNpy(file));
    }

    private static List<Path> arrayFiles(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> files = Files.list(path)) {
            return files.filter(f -> isSafetensors(f) || isNpy(f)).sorted().toList();
        }
    }

    private static boolean isSafetensors(Path file) {
        return file.getFileName().toString().endsWith(".safetensors");
    }

    private static boolean isNpy(Path file) {
        return file.getFileName().toString().endsWith(".npy");
    }

    private void add(Path file) throws IOException {
        if (isSafetensors(file)) {
            SafetensorsFile tensors = SafetensorsFile.open(file);
            open.add(tensors);
            for (StoredTensor tensor : tensors.tensors()) {
                add(file, tensor);
            }
        } else if (isNpy(file)) {
            Arena arena = Arena.ofShared();
            open.add(arena);
            add(file, NpyFile.map(file, arena));
        } else {
            throw new DataException(file + " is neither .safetensors nor .npy nor .csv");
        }
    }

    private void add(Path file, StoredTensor tensor) throws IOException {
        if (arrays.put(tensor.name(), tensor) != null) {
            throw new CorruptFileException(file, "holds another array named " + tensor.name());
        }
        mapped.put(tensor.name(), MappedSize.of(file));
    }

    @Override
    public Samples samples(List<InputSpec> inputs, Share share) {
        return Samples.share(new Rows(arrays, mapped, count(inputs)), share, path.toString());
    }

    @Override
    public List<String> unread(List<InputSpec> inputs) {
        List<String> read = inputs.stream().map(InputSpec::name).toList();
        return arrays.keySet().stream().filter(name -> !read.contains(name)).toList();
    }

    @Override
    public SortedMap<String, String> identity() {
        Fingerprint fingerprint = new Fingerprint();
        long bytes = 0;
        for (StoredTensor array : arrays.values()) {
            fingerprint
                    .add(array.name())
                    .add(array.type() + " " + array.shape())
                    .add(array.data());
            bytes += array.data().byteSize();
        }
        return new TreeMap<>(Map.of(
                "kind", "arrays",
                "names", String.join(", ", arrays.keySet()),
                "bytes", String.valueOf(bytes),
                "fingerprint", fingerprint.text()));
    }

    @Override
    public void close() {
        for (AutoCloseable resource : open) {
            switch (resource) {
                case SafetensorsFile file -> file.close();
                case Arena arena -> arena.close();
                default -> throw new IllegalStateException("unexpected resource " + resource);
            }
        }
        open.clear();
    }

    private long count(List<InputSpec> inputs) {
        long samples = -1;
        for (InputSpec input : inputs) {
            StoredTensor array = arrays.get(input.name());
            if (array == null) {
                throw new DataException(path + " has no array for the input " + input + "; it has " + arrays.keySet());
            }
            boolean fits = !input.shape().isEmpty()
                    && array.shape().size() == input.shape().size()
                    && array.shape()
                            .subList(1, array.shape().size())
                            .equals(input.shape().subList(1, input.shape().size()))
                    && ElementConversion.isAllowed(array.type(), input.dtype());
            if (!fits) {
                throw new DataException(path + " has " + array.name() + ": " + array.type() + array.shape()
                        + ", which cannot feed the input " + input + " sample by sample");
            }
            if (samples >= 0 && samples != array.shape().getFirst()) {
                throw new DataException(path + " has " + array.shape().getFirst() + " samples of " + array.name()
                        + " but " + samples + " of the inputs before it");
            }
            samples = array.shape().getFirst();
        }
        if (samples < 1) {
            throw new DataException(path + " has no samples");
        }
        return samples;
    }

    private record Rows(Map<String, StoredTensor> arrays, Map<String, MappedSize> mapped, long count)
            implements Samples {
        @Override
        public void copy(long sample, InputSpec input, MemorySegment target, long offset) {
            mapped.get(input.name()).check();
            long elements = input.elements() / input.rows();
            ElementConversion.copy(
                    arrays.get(input.name()), sample * elements, elements, input.dtype(), target, offset);
        }
    }
}
