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
    private boolean taken;

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

    /**
     * The place of a call in the tree, made on the first request.
     *
     * @param path names joined by dots; a number behind a name counts calls of that name
     * @param index follows the last name, unless {@link #SINGLE}
     */
    Instance at(String path, int index) {
        List<String> names = List.of(path.split("\\."));
        Instance at = this;
        for (int i = 0; i < names.size(); i++) {
            boolean last = i + 1 == names.size();
            boolean counted = !last && isNumber(names.get(i + 1));
            at = at.child(names.get(i), counted ? Integer.parseInt(names.get(++i)) : last ? index : SINGLE);
            if (counted && i + 1 == names.size() && index != SINGLE) {
                at = at.child(Integer.toString(index), SINGLE);
            }
        }
        return at;
    }

    /** A number as it is printed, and one that fits. */
    private static boolean isNumber(String name) {
        return name.matches("0|[1-9][0-9]{0,8}");
    }

    /** Whether the place was free; it is taken from now on. */
    boolean take() {
        boolean free = !taken;
        taken = true;
        return free;
    }

    /** The call {@code name}, made on the first request. */
    private Instance child(String name, int index) {
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
