package dev.remat.compiler.execution;

import dev.remat.compiler.fusion.FusionGroup;
import dev.remat.compiler.fusion.Layout;
import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.section.SectionPart;
import dev.remat.compiler.section.WholeStep;
import dev.remat.ir.TensorType;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Section;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.execution.Transfers;
import dev.remat.ir.graph.Graph;
import dev.remat.ir.graph.GraphInput;
import dev.remat.ir.graph.GraphOutput;
import dev.remat.ir.graph.Node;
import dev.remat.ir.graph.Value;
import dev.remat.ir.plan.Tier;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Places the bodies of kernels in the arena, so that every step is self-contained. */
public final class BuildExecutionPlan {
    private final KernelGraph kernels;
    private final Graph graph;
    private final MemoryPlan memory;
    private final int[] writtenBy;

    private BuildExecutionPlan(KernelGraph kernels, MemoryPlan memory) {
        this.kernels = kernels;
        this.graph = kernels.graph();
        this.memory = memory;
        this.writtenBy = new int[graph.values().size()];
    }

    /**
     * @param step with the kernels of all its sections
     * @param modelHash SHA-256 of the canonical model
     * @param seed user seed of every random draw
     * @param tiers that buffers are moved to
     */
    public static ExecutionPlan run(WholeStep step, String modelHash, TargetModel target, long seed, List<Tier> tiers) {
        List<Section> sections = step.parts().stream().map(SectionPart::steps).toList();
        Transfers transfers = PlaceMoves.run(step.kernels(), step.memory(), tiers, target.transferAlignment());
        ExecutionPlan plan = new BuildExecutionPlan(step.kernels(), step.memory())
                .run(modelHash, target.name(), seed, sections, transfers);
        return target.overlapsSteps() ? OverlapSteps.run(plan) : plan;
    }

    /** Of kernels that run once each and move nothing. */
    public static ExecutionPlan run(
            KernelGraph kernels, MemoryPlan memory, String modelHash, String target, long seed) {
        Section all = new Section(0, kernels.kernels().size(), 1);
        return new BuildExecutionPlan(kernels, memory).run(modelHash, target, seed, List.of(all), Transfers.NONE);
    }

    /**
     * The plan with all that another keeps in the arena that they share and below it, and that this one does not read.
     *
     * @param other that it takes turns with
     */
    public static ExecutionPlan beside(ExecutionPlan plan, ExecutionPlan other) {
        List<ArenaTensor> kept = other.inputs().stream()
                .filter(input -> input.kind().isPersistent())
                .toList();
        boolean below = kept.stream().anyMatch(tensor -> !tensor.isInArena());
        List<String> own =
                plan.inputs().stream().map(ArenaTensor::name).sorted().toList();
        int id = 0;
        for (ArenaTensor input : plan.inputs()) {
            id = Math.max(id, input.value() + 1);
        }
        for (KernelStep step : plan.steps()) {
            for (Placement result : step.results()) {
                id = Math.max(id, result.value() + 1);
            }
        }
        for (Transfer transfer : plan.transfers().all()) {
            id = Math.max(id, transfer.value() + 1);
        }
        List<ArenaTensor> inputs = new ArrayList<>(plan.inputs());
        for (ArenaTensor tensor : kept) {
            if (Collections.binarySearch(own, tensor.name()) < 0) {
                inputs.add(tensor.withValue(id++));
            }
        }
        return plan.with(
                inputs,
                plan.steps(),
                below
                        ? new Transfers(
                                other.transfers().places(), plan.transfers().events())
                        : plan.transfers());
    }

    /** Inputs in their places. */
    public static List<ArenaTensor> inputs(KernelGraph kernels, MemoryPlan memory) {
        List<ArenaTensor> inputs = new ArrayList<>();
        for (GraphInput input : kernels.graph().inputs()) {
            Value value = kernels.graph().value(input.value());
            int id = value.id().index();
            boolean below = kernels.livesBelow(value.id());
            inputs.add(new ArenaTensor(
                    id,
                    value.name(),
                    value.type(),
                    input.kind(),
                    input.initializer(),
                    below ? kernels.homes().get(id) : ArenaTensor.ARENA,
                    below ? memory.below().homes().get(id) : memory.offsets().get(value.id()),
                    input.location(),
                    input.rows(),
                    input.share()));
        }
        return inputs;
    }

    private ExecutionPlan run(String modelHash, String target, long seed, List<Section> sections, Transfers transfers) {
        List<ArenaTensor> inputs = inputs(kernels, memory);
        inputs.forEach(input -> writtenBy[input.value()] = -1);
        List<KernelStep> steps = new ArrayList<>();
        for (int k = 0; k < kernels.kernels().size(); k++) {
            steps.add(step(k));
        }
        List<PlanOutput> outputs = graph.outputs().stream().map(this::output).toList();
        return new ExecutionPlan(
                graph.name(),
                modelHash,
                target,
                seed,
                memory.arenaBytes(),
                inputs,
                steps,
                sections,
                outputs,
                transfers);
    }

    private PlanOutput output(GraphOutput output) {
        Layout layout = kernels.layouts().get(output.value());
        TensorType type = graph.type(output.value());
        long offset = memory.offsets().get(layout.base())
                + layout.view().offset() * type.dtype().bytes();
        int base = layout.base().index();
        return new PlanOutput(output.name(), base, type, offset, writtenBy[base]);
    }

    private KernelStep step(int index) {
        FusionGroup kernel = kernels.kernels().get(index);
        Node root = graph.node(kernel.root());
        List<Placement> results = new ArrayList<>();
        for (ValueId result : kernel.results()) {
            results.add(place(result));
            writtenBy[result.index()] = index;
        }
        for (int i = 0; i < kernel.overwrites().size(); i++) {
            int result = kernel.body().writes().get(kernel.results().size() + i).result();
            long offset = memory.offsets().get(kernel.overwrites().get(i));
            int updated = root.results().get(result).index();
            results.add(new Placement(updated, offset));
            writtenBy[updated] = index;
        }
        return new KernelStep(
                graph.value(root.results().getFirst()).name(),
                kernel.role(),
                root.origin().location(),
                root.isClone(),
                kernel.body(),
                kernel.reads().stream().map(this::place).toList(),
                results,
                memory.workspaces().get(index),
                memory.freed().get(index));
    }

    private Placement place(ValueId buffer) {
        return new Placement(buffer.index(), memory.offsets().get(buffer));
    }
}
