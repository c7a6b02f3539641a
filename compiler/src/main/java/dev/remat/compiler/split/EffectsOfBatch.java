package dev.remat.compiler.split;

import dev.remat.compiler.batch.Accumulators;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphBuilder;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.Mark;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Origin;
import dev.remat.ir.graph.Role;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.RunningStatistics;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves a forward graph's updates behind the last micro-batch, by statistics that the micro-batches combine.
 *
 * <pre>
 * before:  %4, %5 = running_statistics(%running_mean, %running_var, %mean, %variance)
 * after:   %4, %5 = combine_statistics(%accumulated.mean, %accumulated.variance, %mean, %variance, %micro_batch)
 * effects: %4, %5 = running_statistics(%running_mean, %running_var, %accumulated.mean, %accumulated.variance)
 * </pre>
 */
final class EffectsOfBatch {
    private static final int STATISTICS = 2;

    private final GraphRewriter body;
    private final GraphRewriter effects;

    /** @param body that a micro-batch's statistics are computed in */
    EffectsOfBatch(GraphRewriter body) {
        this.body = body;
        this.effects = new GraphRewriter(body.source());
    }

    /** Takes an update; in the body, the statistics that it moves by are combined in its place. */
    void move(Node node) {
        if (!(node.op() instanceof RunningStatistics op)) {
            throw new IllegalStateException(
                    "a forward graph updates by " + node.op().mnemonic());
        }
        GraphBuilder builder = body.target();
        List<ValueId> running = new ArrayList<>();
        List<ValueId> combined = new ArrayList<>();
        List<ValueId> accumulators = new ArrayList<>();
        for (int i = 0; i < STATISTICS; i++) {
            running.add(resident(node.operands().get(i)));
            ValueId statistic = body.map(node.operands().get(STATISTICS + i));
            combined.add(statistic);
            accumulators.add(Accumulators.of(builder, builder.value(statistic).name(), builder.type(statistic)));
            builder.mark(accumulators.getLast(), Mark.STATISTIC);
        }
        List<ValueId> operands = new ArrayList<>(accumulators);
        operands.addAll(combined);
        operands.add(Accumulators.microBatch(builder));
        builder.at(Origin.NONE).as(Role.UPDATE);
        builder.emit(new CombineStatistics(), operands);

        accumulators.forEach(each -> running.add(Accumulators.again(effects.target(), builder, each)));
        effects.target().at(node.origin()).as(Role.UPDATE);
        List<TensorType> types = body.source().types(node.results());
        List<String> names = node.results().stream()
                .map(id -> body.source().value(id).name())
                .toList();
        List<ValueId> moved = effects.target().append(op, running, types, names, node.clonedFrom());
        for (int i = 0; i < moved.size(); i++) {
            effects.replace(node.results().get(i), moved.get(i));
        }
    }

    /** A running statistic in the graph of effects, as the update before has left it. */
    private ValueId resident(ValueId value) {
        if (effects.isMapped(value)) {
            return effects.map(value);
        }
        GraphInput input = body.source().inputs().stream()
                .filter(each -> each.value().equals(value))
                .findFirst()
                .orElseThrow();
        return effects.copyInput(input, body.source().type(value));
    }

    Graph build() {
        return effects.build();
    }
}
