package dev.remat.compiler.training;

import dev.remat.compiler.batch.MicroBatches;
import dev.remat.compiler.batch.Sums;
import dev.remat.compiler.simplify.ConcatenatePads;
import dev.remat.compiler.simplify.EliminateCommonSubexpressions;
import dev.remat.compiler.simplify.JoinProducts;
import dev.remat.compiler.simplify.RemoveDeadNodes;
import dev.remat.compiler.simplify.RemoveIdentities;
import dev.remat.compiler.simplify.SimplifiedGraph;
import dev.remat.compiler.simplify.StackProducts;
import dev.remat.compiler.stage.PassListener;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.GraphRewriter;
import dev.remat.ir.graph.InputKind;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Appends to a forward graph what its purpose asks for, in the precision asked for. */
public final class BuildStepGraph {
    private BuildStepGraph() {}

    public static StepGraph run(SimplifiedGraph forward, Purpose purpose, TrainingSpec spec) {
        return run(forward, purpose, spec, PassListener.NONE);
    }

    /**
     * The same, followed.
     *
     * @param passes is told of each pass
     */
    public static StepGraph run(SimplifiedGraph forward, Purpose purpose, TrainingSpec spec, PassListener passes) {
        Graph typed = passes.after("apply-precision", ApplyPrecision.run(forward.graph(), spec.precision()));
        Graph whole = switch (purpose) {
            case EVALUATE -> evaluate(typed, spec);
            case GRADIENTS -> differentiate(typed, spec, new ReportGradients());
            case TRAIN -> differentiate(typed, spec, new ApplyUpdates(spec));
        };
        passes.ran(purpose == Purpose.EVALUATE ? "evaluate" : "differentiate", whole);
        return new StepGraph(joined(tidied(whole, passes), passes));
    }

    /**
     * The same for a step that is cut into micro-batches.
     *
     * @param cut of which {@code forward} is the forward graph of a micro-batch
     * @param passes is told of each pass over a micro-batch's graph
     */
    public static RoundGraphs inRounds(
            SimplifiedGraph forward, MicroBatches cut, Purpose purpose, TrainingSpec spec, PassListener passes) {
        Graph typed = passes.after("apply-precision", ApplyPrecision.run(forward.graph(), spec.precision()));
        boolean trains = purpose == Purpose.TRAIN;
        AccumulateGradients gradients = new AccumulateGradients(spec, cut.count(), !trains);
        boolean evaluates = purpose == Purpose.EVALUATE;
        Graph differentiated = evaluates
                ? passes.after("evaluate", evaluate(typed, spec))
                : passes.after("differentiate", differentiate(typed, spec, gradients));
        Set<String> outputs =
                typed.outputs().stream().map(GraphOutput::name).collect(Collectors.toCollection(LinkedHashSet::new));
        Graph whole = passes.after("accumulate-outputs", AccumulateOutputs.run(differentiated, outputs, cut.count()));
        Graph body = joined(tidied(whole, passes), passes);
        Graph effects = ApplyPrecision.run(cut.effects(), spec.precision());
        RoundGraphs rounds = new RoundGraphs(
                cut.counted().map(counted -> tidied(ApplyPrecision.run(counted, spec.precision()), PassListener.NONE)),
                body,
                trains
                        ? Optional.of(tidied(BuildUpdates.run(effects, body, gradients, spec), PassListener.NONE))
                        : Optional.empty());
        return RoundGradients.run(spec.sums() == Sums.BY_USE ? AddByUse.run(rounds) : rounds, spec);
    }

    /** What every graph of a step goes through when it is whole. */
    public static Graph tidied(Graph whole, PassListener passes) {
        Graph plain = passes.after("remove-identities", RemoveIdentities.run(whole));
        Graph joined = passes.after("concatenate-pads", ConcatenatePads.run(plain));
        Graph single = passes.after("eliminate-common-subexpressions", EliminateCommonSubexpressions.run(joined));
        return passes.after("remove-dead-nodes", RemoveDeadNodes.run(single));
    }

    /** By itself for each micro-batch, so that its gradients have the same bits however micro-batches run. */
    private static Graph joined(Graph tidy, PassListener passes) {
        Graph joined = passes.after("join-products", JoinProducts.run(tidy));
        return passes.after("stack-products", StackProducts.run(joined));
    }

    /** Reads averages in place of the parameters that have one. */
    private static Graph evaluate(Graph forward, TrainingSpec spec) {
        if (spec.average().isEmpty()) {
            return forward;
        }
        GraphRewriter rewriter = new GraphRewriter(forward);
        rewriter.copyInputs();
        for (GraphInput input : forward.inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                String name = forward.value(input.value()).name();
                rewriter.target().rename(rewriter.map(input.value()), spec.evaluated(name));
            }
        }
        forward.nodes().forEach(rewriter::copy);
        return rewriter.complete();
    }

    private static Graph differentiate(Graph forward, TrainingSpec spec, Differentiate.Completion completion) {
        List<Differentiate.Target> targets = spec.objectives().stream()
                .map(objective -> new Differentiate.Target(
                        forward.output(objective.loss()),
                        parameter -> spec.objective(parameter).equals(Optional.of(objective))))
                .toList();
        return Differentiate.run(forward, targets, completion).graph();
    }
}
