package dev.remat.cli.trained;

import dev.remat.runtime.io.DataException;
import dev.remat.runtime.io.SafetensorsFile;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.train.BatchCounters;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Tensors of a file by the model's names.
 *
 * @param place of the file
 * @param names that the file has for them
 */
public record NamedTensors(Path place, SafetensorsFile file, NamesMap names) implements AutoCloseable {
    /** @throws dev.remat.runtime.io.CorruptFileException if there are names for other tensors than a model has */
    public void check(Stream<String> model) {
        Set<String> all = new LinkedHashSet<>();
        model.forEach(name -> {
            all.add(name);
            BatchCounters.beside(name).ifPresent(all::add);
        });
        names.check(all);
    }

    /**
     * One of them, as the model has it; empty if the file has none.
     *
     * @throws dev.remat.runtime.io.CorruptFileException if the file's tensor has no such rows, or cannot be transposed
     * @throws DataException if the file has it under two names, with different values
     */
    public Optional<StoredTensor> find(String tensor) {
        Optional<StoredTensor> found = Optional.empty();
        NamesMap.Line first = null;
        for (NamesMap.Line line : names.of(tensor)) {
            Optional<StoredTensor> here = file.find(line.name()).map(stored -> take(line, stored));
            if (found.isPresent() && here.isPresent() && !isSame(found.get(), here.get())) {
                throw new DataException(place + " has two values for " + tensor + ": " + first.name() + " and "
                        + line.name() + "; leave one of the names out");
            }
            if (found.isEmpty() && here.isPresent()) {
                found = here;
                first = line;
            }
        }
        return found;
    }

    private StoredTensor take(NamesMap.Line line, StoredTensor stored) {
        line.place().misfit(stored).ifPresent(problem -> {
            throw names.wrong(line, problem);
        });
        return line.place().in(stored).named(line.tensor());
    }

    private static boolean isSame(StoredTensor one, StoredTensor other) {
        return one.type() == other.type()
                && one.shape().equals(other.shape())
                && one.data().mismatch(other.data()) < 0;
    }

    /**
     * All of them, in the order of the names and of the file; what the names say nothing of keeps its own.
     *
     * @throws DataException naming all of the file that the model has under another name
     */
    public List<StoredTensor> tensors() {
        List<StoredTensor> tensors = new ArrayList<>();
        for (String tensor : names.tensors()) {
            if (!tensor.equals(NamesMap.NOTHING)) {
                find(tensor).ifPresent(tensors::add);
            }
        }
        List<String> strays = new ArrayList<>();
        for (StoredTensor stored : file.tensors()) {
            if (names.about(stored.name()).isEmpty()) {
                names.unchanged(stored.name())
                        .ifPresentOrElse(name -> tensors.add(stored.named(name)), () -> strays.add(stored.name()));
            }
        }
        if (!strays.isEmpty()) {
            throw new DataException(place + " has " + String.join(", ", strays)
                    + ", and by the names given no tensor of the model is called so; a line '- " + strays.getFirst()
                    + "' passes over it");
        }
        return tensors;
    }

    @Override
    public void close() {
        file.close();
    }
}
