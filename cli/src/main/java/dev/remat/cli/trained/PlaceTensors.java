package dev.remat.cli.trained;

import dev.remat.cli.trained.NamesMap.Line;
import dev.remat.runtime.io.CorruptFileException;
import dev.remat.runtime.io.StoredTensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.stream.Collectors;

/** Gives tensors of the model the names and layouts that they have elsewhere; what {@link NamedTensors} undoes. */
public final class PlaceTensors {
    /** One of the model's tensors and a line that says what becomes of it. */
    private record Placed(Line line, StoredTensor tensor) {
        private TensorPlace.Rows rows() {
            return line.place().rows().orElseThrow();
        }
    }

    private PlaceTensors() {}

    /**
     * All tensors as they are elsewhere.
     *
     * @throws CorruptFileException if a line names a tensor that is not there, two tensors get one name, or parts of a
     *     tensor overlap, leave a gap or do not suit each other
     */
    public static List<StoredTensor> run(List<StoredTensor> tensors, NamesMap names) {
        names.check(tensors.stream().map(StoredTensor::name).collect(Collectors.toSet()));
        SequencedMap<String, List<Placed>> elsewhere = new LinkedHashMap<>();
        for (StoredTensor tensor : tensors) {
            for (Line line : names.of(tensor.name())) {
                elsewhere.computeIfAbsent(line.name(), _ -> new ArrayList<>()).add(new Placed(line, tensor));
            }
        }
        List<StoredTensor> all = new ArrayList<>();
        elsewhere.forEach((name, placed) -> all.add(assemble(name, placed, names)));
        return all;
    }

    private static StoredTensor assemble(String name, List<Placed> parts, NamesMap names) {
        Placed first = parts.getFirst();
        for (Placed part : parts) {
            if (parts.size() > 1 && part.line().place().rows().isEmpty()) {
                throw names.wrong(part.line(), "gives two tensors the name " + name);
            }
            if (part.line().place().transposed() != first.line().place().transposed()) {
                throw names.wrong(part.line(), name + " is transposed in one line and not in another");
            }
        }
        boolean transposed = first.line().place().transposed();
        if (transposed && first.tensor().shape().size() != 2) {
            throw names.wrong(
                    first.line(), "T exchanges rows and columns of a matrix, and the model has " + described(first));
        }
        StoredTensor joined = first.line().place().rows().isEmpty() ? first.tensor() : join(name, parts, names);
        return (transposed ? joined.transposed() : joined).named(name);
    }

    private static StoredTensor join(String name, List<Placed> parts, NamesMap names) {
        List<Placed> sorted = parts.stream()
                .sorted(Comparator.comparingLong(part -> part.rows().begin()))
                .toList();
        long end = 0;
        for (Placed part : sorted) {
            checkSuits(part, sorted.getFirst(), names);
            long begin = part.rows().begin();
            if (begin != end) {
                throw names.wrong(
                        part.line(),
                        begin < end
                                ? part.rows() + " of " + name + " overlaps what another line puts there, up to row "
                                        + end
                                : "no line says what rows [" + end + ":" + begin + "] of " + name + " are");
            }
            end = part.rows().end();
        }
        return StoredTensor.joined(name, sorted.stream().map(Placed::tensor).toList());
    }

    private static void checkSuits(Placed part, Placed first, NamesMap names) {
        List<Long> shape = part.tensor().shape();
        if (shape.isEmpty() || shape.getFirst() != part.rows().count()) {
            throw names.wrong(
                    part.line(),
                    part.rows() + " is " + part.rows().count() + " rows, and the model has " + described(part));
        }
        List<Long> other = first.tensor().shape();
        if (part.tensor().type() != first.tensor().type()
                || !shape.subList(1, shape.size()).equals(other.subList(1, other.size()))) {
            throw names.wrong(
                    part.line(), "rows of " + described(part) + " and of " + described(first) + " are no one tensor");
        }
    }

    private static String described(Placed placed) {
        StoredTensor tensor = placed.tensor();
        return tensor.name() + ": " + tensor.type() + tensor.shape();
    }
}
