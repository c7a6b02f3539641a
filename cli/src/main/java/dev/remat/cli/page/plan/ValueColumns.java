package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.plan.Columns.Words;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.NodeId;
import dev.remat.ir.graph.Value;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToIntFunction;

/** The values of a training step, the same for all its plans; other columns name them by their place in these. */
final class ValueColumns {
    private static final int NONE = -1;

    private final Graph graph;
    private final ToIntFunction<NodeId> rounds;
    private final long alignment;
    private final List<ValueFacts> facts;

    ValueColumns(PlanAccount account) {
        this.graph = account.source();
        this.rounds = account::rounds;
        this.alignment = account.compilation().target().alignment();
        this.facts = account.values().stream().map(account::unpriced).toList();
    }

    /** Blocks of memory that a value takes by itself. */
    long blocks(int value) {
        return (facts.get(value).value().type().bytes() + alignment - 1) / alignment;
    }

    /** What the planner was charged for making a value. */
    long cost(int value) {
        return facts.get(value).cost().orElse(NONE);
    }

    long alignment() {
        return alignment;
    }

    List<ValueId> ids() {
        return graph.values().stream().map(Value::id).toList();
    }

    void write(JsonGenerator out) throws IOException {
        Words types = new Words();
        Words places = new Words();
        Words scopes = new Words();
        Words ops = new Words();
        List<ValueId> ids = ids();
        out.writeNumberField("alignment", alignment);
        out.writeObjectFieldStart("values");
        Columns.texts(
                out, "name", facts.stream().map(value -> value.value().name()).toList());
        Columns.numbers(
                out, "type", facts, value -> types.index(value.value().type().toString()));
        Columns.numbers(out, "size", facts, value -> value.value().type().bytes());
        Columns.numbers(
                out,
                "elements",
                facts,
                value -> value.producer().equals("input") ? value.value().type().elements() : 0);
        Columns.numbers(out, "at", facts, value -> places.index(value.location().toString()));
        Columns.numbers(out, "scope", facts, value -> scopes.index(value.scope()));
        Columns.numbers(out, "phase", facts, value -> value.role().ordinal());
        Columns.numbers(out, "op", facts, value -> ops.index(value.producer()));
        Columns.numbers(out, "cost", facts, value -> value.cost().orElse(NONE));
        Columns.numbers(out, "result", ids, this::result);
        Columns.numbers(out, "flops", ids, this::flops);
        Columns.numbers(
                out,
                "storage",
                facts,
                value -> value.storage().map(of -> of.id().index()).orElse(NONE));
        Columns.lists(
                out,
                "consumers",
                facts,
                value -> value.consumers().stream()
                        .map(consumer -> consumer.value().id().index())
                        .toList());
        out.writeEndObject();
        out.writeObjectFieldStart("words");
        types.write(out, "types");
        places.write(out, "places");
        scopes.write(out, "scopes");
        ops.write(out, "ops");
        out.writeEndObject();
    }

    /** What the values of the batch, parameters and states are for, by place among the values. */
    void writeInputs(JsonGenerator out) throws IOException {
        out.writeObjectFieldStart("inputs");
        Words kinds = new Words();
        List<GraphInput> inputs = graph.inputs();
        Columns.numbers(out, "value", inputs, input -> input.value().index());
        Columns.numbers(
                out, "kind", inputs, input -> kinds.index(input.kind().name().toLowerCase(Locale.ROOT)));
        kinds.write(out, "kinds");
        out.writeEndObject();
    }

    /** Which result of its node a value is. */
    private int result(ValueId id) {
        return producer(id).map(node -> node.results().indexOf(id)).orElse(0);
    }

    /** Operations of its node in a step, told of the first result. */
    private long flops(ValueId id) {
        return producer(id)
                .filter(node -> node.results().getFirst().equals(id))
                .map(node -> rounds.applyAsInt(node.id())
                        * node.op().flops(graph.types(node.operands()), graph.types(node.results())))
                .orElse(0L);
    }

    private Optional<Node> producer(ValueId id) {
        return graph.value(id).producer().map(graph::node);
    }
}
