package dev.remat.compiler.trace;

import dev.remat.compiler.Compilation;
import dev.remat.compiler.stage.PassListener;
import dev.remat.ir.graph.Graph;
import java.util.ArrayList;
import java.util.List;

/** Keeps the program after each pass of a compilation. */
public final class PassTrace implements PassListener {
    private final List<IrPass> passes = new ArrayList<>();

    @Override
    public void ran(String pass, Graph graph) {
        passes.add(new IrPass(pass, new GraphLines(graph).all()));
    }

    /** Every pass up to the finished plan: what was heard, then how the chosen plan was made of it. */
    public List<IrPass> through(Compilation plan) {
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
        return all;
    }
}
