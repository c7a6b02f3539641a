package dev.remat.cli.pretrained;

import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** All tensors of a folder, mapped. */
final class PretrainedWeights implements AutoCloseable {
    private final List<SafetensorsFile> files;
    private final Path place;
    private final Map<String, StoredTensor> tensors;

    private PretrainedWeights(List<SafetensorsFile> files, Path place, Map<String, StoredTensor> tensors) {
        this.files = files;
        this.place = place;
        this.tensors = tensors;
    }

    /**
     * @param place the one file, or what says which they are
     * @throws CorruptFileException if a tensor is there twice
     */
    static PretrainedWeights of(List<SafetensorsFile> files, Path place) {
        Map<String, StoredTensor> tensors = new TreeMap<>();
        for (SafetensorsFile file : files) {
            for (StoredTensor tensor : file.tensors()) {
                if (tensors.put(tensor.name(), tensor) != null) {
                    throw new CorruptFileException(place, "two files have " + tensor.name());
                }
            }
        }
        return new PretrainedWeights(files, place, tensors);
    }

    Path place() {
        return place;
    }

    Optional<StoredTensor> find(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /** In order. */
    Set<String> names() {
        return tensors.keySet();
    }

    @Override
    public void close() {
        files.forEach(SafetensorsFile::close);
    }
}
