package dev.remat.compiler.elaborate;

import dev.remat.compiler.builtin.Datum;
import dev.remat.ir.ValueId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A call that owns parameters, by its path such as {@code block.3.attention}; the tree of them mirrors the names. */
final class Instance implements Datum.Path {
    /** Index of a call whose name does not repeat. */
    static final int SINGLE = -1;

    private final String path;
    private final Map<String, ValueId> parameters = new LinkedHashMap<>();
    private final Map<String, TreeMap<Integer, Instance>> children = new LinkedHashMap<>();
    private int applications;

    Instance(String path) {
        this.path = path;
    }

    /** Calls of one name that repeats: {@code block[3]}. */
    record Numbered(TreeMap<Integer, Instance> calls) implements Datum.Path {}

    /** Empty for the model itself. */
    String path() {
        return path;
    }

    /** Path of something inside. */
    String path(String name) {
        return path.isEmpty() ? name : path + "." + name;
    }

    /** The call {@code name}, made on the first request. */
    Instance child(String name, int index) {
        TreeMap<Integer, Instance> calls = children.computeIfAbsent(name, key -> new TreeMap<>());
        String childPath = path(index == SINGLE ? name : name + "." + index);
        return calls.computeIfAbsent(index, key -> new Instance(childPath));
    }

    /** Counts an application: from the second on, parameters are those of the first. */
    void apply() {
        applications++;
    }

    boolean isAppliedAgain() {
        return applications > 1;
    }

    Optional<ValueId> parameter(String name) {
        return Optional.ofNullable(parameters.get(name));
    }

    void add(String name, ValueId parameter) {
        parameters.put(name, parameter);
    }

    boolean hasChild(String name) {
        return children.containsKey(name);
    }

    /** What {@code .name} stands for: a parameter, a call, or several numbered ones. */
    Optional<Datum> member(String name) {
        if (parameters.containsKey(name)) {
            return Optional.of(new Datum.Tensor(parameters.get(name)));
        }
        TreeMap<Integer, Instance> calls = children.get(name);
        if (calls == null) {
            return Optional.empty();
        }
        return Optional.of(calls.containsKey(SINGLE) ? calls.get(SINGLE) : new Numbered(calls));
    }

    /** Names that {@link #member} knows. */
    List<String> members() {
        List<String> names = new ArrayList<>(parameters.keySet());
        names.addAll(children.keySet());
        return names;
    }
}
