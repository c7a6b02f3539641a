package dev.remat.compiler.trace;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.stage.PassListener;
import dev.remat.compiler.view.PlanView;
import dev.remat.compiler.view.StepFacts.Tensor;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Keeps the program after each pass of a compilation. */
public final class PassTrace implements PassListener {
    private final List<IrPass> passes = new ArrayList<>();

    @Override
    public void ran(String pass, Graph graph) {
        passes.add(new IrPass(pass, new GraphLines(graph).all()));
    }

    /** Every pass up to the finished plan: what was heard, then how the chosen plan was made of it. */
    public List<IrPass> through(PlanView view) {
        Compilation plan = view.compilation();
        List<IrPass> all = new ArrayList<>(passes);
        all.add(new IrPass(
                "form-fusion-groups",
                new GraphLines(plan.planning().fused().graph())
                        .grouped("group", plan.planning().fused().groups())));
        all.add(new IrPass(
                "insert-recompute", new GraphLines(plan.rematerialized().graph()).all()));
        all.add(new IrPass(
                "form-kernels",
                new GraphLines(plan.kernels().graph())
                        .grouped("kernel", plan.kernels().kernels())));
        all.add(new IrPass("plan-arena", places(view)));
        return all;
    }

    private static List<IrLine> places(PlanView view) {
        Graph graph = view.compilation().kernels().graph();
        GraphLines names = new GraphLines(graph);
        Map<String, Value> byName = new LinkedHashMap<>();
        graph.values().forEach(value -> byName.put(value.name(), value));
        List<IrLine> lines = new ArrayList<>();
        for (Tensor tensor : view.tensors()) {
            Value value = tensor.name().map(byName::get).orElse(null);
            String text = "%s at byte %d, %s, steps %d to %d, %s"
                    .formatted(
                            tensor.name().orElse("workspace"),
                            tensor.offset(),
                            Count.bytes(tensor.bytes()),
                            tensor.first(),
                            tensor.last(),
                            tensor.kind().label());
            lines.add(
                    value == null
                            ? new IrLine(text, "", Location.NONE)
                            : new IrLine(text, names.original(value).name(), graph.location(value.id())));
        }
        return lines;
    }
}
