package dev.remat.compiler.execution;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.compiler.memory.MemoryPlan;
import dev.remat.compiler.remat.SeedChain;
import dev.remat.compiler.unit.Layout;
import dev.remat.compiler.unit.Unit;
import dev.remat.ir.DType;
import dev.remat.ir.Graph;
import dev.remat.ir.GraphInput;
import dev.remat.ir.GraphOutput;
import dev.remat.ir.Node;
import dev.remat.ir.NodeId;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.Value;
import dev.remat.ir.ValueId;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Step;
import dev.remat.ir.op.Constant;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Folds layouts, seeds, constants and offsets into self-contained steps. */
public final class BuildExecutionPlan {
    private final KernelGraph kernels;
    private final Graph graph;
    private final MemoryPlan memory;
    private final SeedChain seeds;
    private final int[] writtenBy;

    private BuildExecutionPlan(KernelGraph kernels, MemoryPlan memory) {
        this.kernels = kernels;
        this.graph = kernels.graph();
        this.memory = memory;
        this.seeds = SeedChain.of(graph);
        this.writtenBy = new int[graph.values().size()];
    }

    /**
     * @param modelHash SHA-256 of the canonical model
     * @param seed user seed of every random draw
     */
    public static ExecutionPlan run(
            KernelGraph kernels, MemoryPlan memory, String modelHash, String target, long seed) {
        return new BuildExecutionPlan(kernels, memory).run(modelHash, target, seed);
    }

    private ExecutionPlan run(String modelHash, String target, long seed) {
        List<ArenaTensor> inputs = new ArrayList<>();
        for (GraphInput input : graph.inputs()) {
            Value value = graph.value(input.value());
            writtenBy[value.id().index()] = -1;
            inputs.add(new ArenaTensor(
                    value.id().index(),
                    value.name(),
                    value.type(),
                    input.kind(),
                    input.initializer(),
                    memory.offsets().get(value.id()),
                    input.location()));
        }
        List<Step> steps = new ArrayList<>();
        for (int k = 0; k < kernels.kernels().size(); k++) {
            steps.add(new StepBuilder(kernels.kernels().get(k)).build(k));
        }
        List<PlanOutput> outputs = graph.outputs().stream().map(this::output).toList();
        return new ExecutionPlan(graph.name(), modelHash, target, seed, memory.arenaBytes(), inputs, steps, outputs);
    }

    private PlanOutput output(GraphOutput output) {
        Layout layout = kernels.layouts().get(output.value());
        TensorType type = graph.type(output.value());
        long offset = memory.offsets().get(layout.base())
                + layout.view().offset() * type.dtype().bytes();
        int base = layout.base().index();
        return new PlanOutput(output.name(), base, type, offset, writtenBy[base]);
    }

    /** One kernel's body, reads and writes. */
    private final class StepBuilder {
        private record ReadKey(ValueId base, StridedView view) {}

        private final Unit kernel;
        private final List<Instruction> body = new ArrayList<>();
        private final Map<ReadKey, Integer> readIndex = new LinkedHashMap<>();
        private final List<MemoryRead> reads = new ArrayList<>();
        private final List<MemoryWrite> writes = new ArrayList<>();
        private final Map<ValueId, Operand> local = new LinkedHashMap<>();

        StepBuilder(Unit kernel) {
            this.kernel = kernel;
        }

        Step build(int index) {
            for (NodeId id : kernel.nodes()) {
                append(graph.node(id));
            }
            for (ValueId write : kernel.writes()) {
                write(write, memory.offsets().get(write));
                writtenBy[write.index()] = index;
            }
            Node root = graph.node(kernel.root());
            if (root.op() instanceof Update update) {
                update.writes()
                        .forEach(w -> write(
                                root.results().get(w.result()),
                                memory.offsets().get(root.operands().get(w.operand()))));
            }
            String name = graph.value(root.results().getFirst()).name();
            return new Step(
                    name,
                    kernel.role(),
                    root.origin().location(),
                    root.isClone(),
                    body,
                    reads,
                    writes,
                    memory.workspaces().get(index),
                    memory.freed().get(index));
        }

        private void append(Node node) {
            List<Operand> operands = new ArrayList<>();
            List<TensorType> results = graph.types(node.results());
            for (ValueId operand : node.operands()) {
                operands.add(operand(operand));
            }
            for (int r = 0; r < node.results().size(); r++) {
                local.put(node.results().get(r), new Operand.FromInstruction(body.size(), r));
            }
            body.add(new Instruction(node.op(), operands, results, node.origin().location()));
        }

        private Operand operand(ValueId value) {
            if (graph.type(value).dtype() == DType.SEED) {
                return new Operand.FromSeed(seeds.ordinal(value));
            }
            Operand inside = local.get(value);
            return inside == null ? outside(value) : inside;
        }

        private Operand outside(ValueId value) {
            Layout layout = kernels.layouts().get(value);
            TensorType type = graph.type(value);
            Optional<Constant> constant = graph.value(layout.base())
                    .producer()
                    .map(id -> graph.node(id).op())
                    .filter(Constant.class::isInstance)
                    .map(Constant.class::cast);
            if (constant.isPresent()) {
                body.add(new Instruction(new Constant(constant.get().value(), type), List.of(), List.of(type)));
                Operand inlined = new Operand.FromInstruction(body.size() - 1, 0);
                local.put(value, inlined);
                return inlined;
            }
            return new Operand.FromMemory(readIndex.computeIfAbsent(new ReadKey(layout.base(), layout.view()), key -> {
                long bytes = graph.type(layout.base()).bytes();
                reads.add(new MemoryRead(
                        layout.base().index(),
                        memory.offsets().get(layout.base()),
                        bytes,
                        type.dtype(),
                        layout.view()));
                return reads.size() - 1;
            }));
        }

        private void write(ValueId value, long offset) {
            Operand.FromInstruction from = (Operand.FromInstruction) local.get(value);
            writes.add(new MemoryWrite(
                    value.index(),
                    graph.value(value).name(),
                    offset,
                    graph.type(value),
                    from.instruction(),
                    from.result()));
        }
    }
}
