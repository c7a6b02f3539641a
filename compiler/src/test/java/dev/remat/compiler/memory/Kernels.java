package dev.remat.compiler.memory;

import dev.remat.compiler.TestTarget;
import dev.remat.compiler.fusion.FormFusionGroups;
import dev.remat.compiler.fusion.MaterializeViews;
import dev.remat.compiler.fusion.PlaceResults;
import dev.remat.compiler.kernel.FormKernels;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.remat.BuildProblem;
import dev.remat.compiler.remat.InsertRecompute;
import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.target.UnitCost;

/** Kernels of graphs made by hand, nothing recomputed. */
public final class Kernels {
    public static final TestTarget TARGET = new TestTarget();

    private Kernels() {}

    /** The same as something to plan. */
    public static PlanningProblem planning(Graph graph) {
        return BuildProblem.run(
                FormFusionGroups.run(PlaceResults.run(MaterializeViews.run(graph, TARGET), TARGET), TARGET),
                TARGET,
                new UnitCost());
    }

    public static KernelGraph of(Graph graph) {
        PlanningProblem planning = planning(graph);
        return FormKernels.run(
                InsertRecompute.run(planning, new KeepAll().plan(planning.problem(), PlannerOptions.none())), TARGET);
    }
}
