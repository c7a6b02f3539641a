package dev.remat.compiler.passes;

import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Region;
import dev.remat.ir.graph.Role;
import dev.remat.ir.graph.Value;
import dev.remat.ir.op.Attributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Graphs as {@code GraphParser} reads them, without what goes without saying. A type is said where it is another than
 * that of the first operand, which is where a reader wants to be told.
 */
final class ShortForm {
    private final Graph graph;
    private final StringBuilder out = new StringBuilder();

    private ShortForm(Graph graph) {
        this.graph = graph;
    }

    static String of(Graph graph) {
        ShortForm form = new ShortForm(graph);
        graph.inputs().forEach(form::input);
        graph.nodes().forEach(form::node);
        graph.outputs().forEach(output -> {
            String name = graph.value(output.value()).name();
            String called = output.name().equals(name) ? "" : '"' + output.name() + "\" ";
            form.out.append("output ").append(called).append(form.word(output.value()));
            form.out.append('\n');
        });
        return form.out.toString();
    }

    /** Names with commas between. */
    static String names(Graph graph, List<ValueId> values) {
        return values.stream().map(id -> graph.value(id).name()).collect(Collectors.joining(", "));
    }

    private void input(GraphInput input) {
        out.append("input ").append(value(input.value(), true));
        switch (input.kind()) {
            case DATA -> {}
            case PARAMETER, STATE, STEP, SEED, MICRO_BATCH, ACCUMULATOR ->
                out.append(' ').append(input.kind().label());
        }
        if (input.kind().isPersistent() && !input.initializer().equals(Initializer.ZEROS)) {
            out.append(' ').append(input.initializer());
        }
        input.rows()
                .ifPresent(rows -> out.append(" rows(\"")
                        .append(rows.tensor())
                        .append("\", ")
                        .append(rows.from())
                        .append(')'));
        out.append(at(input.location())).append('\n');
    }

    private void node(Node node) {
        Optional<ValueId> first = node.operands().stream().findFirst();
        boolean[] typed = new boolean[node.results().size()];
        for (int i = 0; i < typed.length; i++) {
            ValueId result = node.results().get(i);
            typed[i] = first.isPresent()
                    && graph.type(result).dtype() != DType.SEED
                    && !graph.type(first.get()).equals(graph.type(result));
        }
        for (int i = 0; i < typed.length; i++) {
            out.append(i == 0 ? "" : ", ").append(value(node.results().get(i), typed[i]));
        }
        out.append(typed.length == 0 ? "= " : " = ").append(node.op().mnemonic());
        Attributes attributes = node.op().attributes();
        for (String name : List.copyOf(attributes.values().keySet())) {
            attributes = attributes.word(name).equals("false") ? attributes.without(name) : attributes;
        }
        out.append(attributes);
        out.append(node.operands().stream().map(this::word).collect(Collectors.joining(", ", "(", ")")));
        out.append(node.role() == Role.FORWARD ? "" : " " + node.role().label());
        out.append(node.origin().scope().isEmpty() ? "" : " \"" + node.origin().scope() + '"');
        Optional<Region> region = node.origin().region();
        for (; region.isPresent(); region = region.get().parent()) {
            out.append(" in ").append(region.get().ordinal()).append('/');
            out.append(region.get().segments()).append(at(region.get().location()));
        }
        out.append(at(node.origin().location()));
        node.clonedFrom()
                .ifPresent(original -> out.append(" remat ")
                        .append(word(graph.node(original).results().getFirst())));
        out.append('\n');
    }

    private String value(ValueId id, boolean typed) {
        Value value = graph.value(id);
        boolean word = word(id).equals("%" + value.name());
        return word(id)
                + (word ? "" : " \"" + value.name() + '"')
                + (typed ? " " + value.type() : "")
                + value.pin()
                        .map(pin -> " " + pin.kind().participle() + at(pin.location()))
                        .orElse("")
                + value.retained()
                        .map(reason -> " retained(\"" + reason + "\")")
                        .orElse("");
    }

    /** A value by its name, or by its number if that is no word or is the number of another. */
    private String word(ValueId id) {
        String name = graph.value(id).name();
        boolean number = name.chars().allMatch(Character::isDigit);
        return name.matches("[^\\s{}()\\[\\],=\"]+") && !number ? "%" + name : id.toString();
    }

    private static String at(Location location) {
        return location.equals(Location.NONE) ? "" : " @" + location;
    }
}
