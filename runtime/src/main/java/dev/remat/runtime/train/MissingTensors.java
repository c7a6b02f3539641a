package dev.remat.runtime.train;

import dev.remat.ir.diagnostic.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Names of persistent tensors of a plan that a file does not give, by what they are.
 *
 * @param statistics such as running means
 * @param optimizer what an optimizer keeps, averages included
 * @param fresh whether nothing of the optimizer is given
 */
public record MissingTensors(List<String> parameters, List<String> statistics, List<String> optimizer, boolean fresh) {
    public MissingTensors {
        parameters = List.copyOf(parameters);
        statistics = List.copyOf(statistics);
        optimizer = List.copyOf(optimizer);
    }

    /** All of them. */
    public List<String> names() {
        return Stream.of(parameters, statistics, optimizer)
                .flatMap(List::stream)
                .toList();
    }

    /**
     * {@code 2 parameters (a.weight, a.bias) and 1 statistic (norm.running_mean)}; empty where nothing is missing but
     * all of an optimizer's state, which weights from elsewhere never have.
     */
    public Optional<String> text() {
        List<String> parts = new ArrayList<>();
        add(parts, parameters, "parameter", "");
        add(parts, statistics, "statistic", "");
        if (!fresh) {
            add(parts, optimizer, "tensor", " of the optimizer");
        }
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        String last = parts.removeLast();
        return Optional.of(parts.isEmpty() ? last : String.join(", ", parts) + " and " + last);
    }

    private static void add(List<String> parts, List<String> names, String noun, String of) {
        if (!names.isEmpty()) {
            parts.add(Count.of(names.size(), noun) + of + " (" + Count.some(names) + ")");
        }
    }
}
