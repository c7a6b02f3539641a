package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Updates of parameters, of their averages or of sums over micro-batches. Those that follow one another run as one
 * launch: clipping by the norm makes every update wait for the last gradient, and then they come all at once.
 */
public record UpdateKernel() implements CudaKernel {
    private static final String HEADER = "optimizer.cuh";

    @Override
    public Optional<String> kind(KernelBody body) {
        return Optional.of(typedName(body) + body.instructions().getFirst().op().attributes());
    }

    /** The name of an update that is all of a kernel, with the dtypes of what it reads. */
    static String typedName(KernelBody body) {
        Instruction only = body.instructions().getFirst();
        return only.op().mnemonic()
                + body.operandTypes(only).stream()
                        .map(type -> type.dtype().label())
                        .toList();
    }

    @Override
    public boolean joins(List<KernelStepBinding> steps, KernelStepBinding next) {
        return UpdateGroup.areAlike(steps.getFirst(), next) && ManyTensors.mayJoin(steps, next);
    }

    @Override
    public void lower(KernelStepBinding step) {
        lower(List.of(step));
    }

    @Override
    public void lower(List<KernelStepBinding> steps) {
        UpdateGroup group = new UpdateGroup(steps);
        switch (group.update()) {
            case ElementwiseUpdate op -> elementwise(op, group);
            case Assign _ -> assign(group);
            case Accumulate _ -> accumulate(group);
            case UpdateRows op -> throw new IllegalStateException(op.mnemonic() + " is of rows twice");
            case ConditionalUpdate op -> throw new IllegalStateException(op.mnemonic() + " is conditional twice");
            case CombineStatistics _, RunningStatistics _ ->
                throw new IllegalStateException(group.update().mnemonic() + " is of statistics");
        }
    }

    private static void elementwise(ElementwiseUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        KernelCall call = new KernelCall("optimizer", op.rule() + "_" + types(step) + group.suffix(), HEADER);
        UpdateRule rule = new UpdateRule(op, step, call);
        UpdateGroup.Slots slots = group.declare(call, rule.tensors());
        launch(group, call, slots, rule.define(slots));
    }

    private static void assign(UpdateGroup group) {
        String element = element(group.first(), 0);
        KernelCall call = new KernelCall(
                "optimizer", "assign_" + group.first().operandType(0).dtype().label() + group.suffix(), "assign.cuh");
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1));
        List<String> members = List.of(slots.operands().get(1), slots.results().getFirst());
        launch(group, call, slots, "Assign<" + element + ">{" + String.join(", ", members) + "}");
    }

    private static void accumulate(UpdateGroup group) {
        KernelStepBinding step = group.first();
        KernelCall call = new KernelCall(
                "optimizer", "accumulate_" + step.operandType(0).dtype().label() + group.suffix(), "micro_batches.cuh");
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1));
        List<String> members = new ArrayList<>(slots.operands());
        members.addAll(slots.results());
        members.add("*" + step.input(call, 2) + " == 0");
        launch(group, call, slots, "Accumulate<" + element(step, 0) + ">{" + String.join(", ", members) + "}");
    }

    private static String element(KernelStepBinding step, int operand) {
        return CudaType.of(step.operandType(operand).dtype());
    }

    private static String types(KernelStepBinding step) {
        return step.operandType(0).dtype().label() + "_"
                + step.operandType(1).dtype().label();
    }

    private static void launch(UpdateGroup group, KernelCall call, UpdateGroup.Slots slots, String rule) {
        call.body(group.condition(call) + slots.choice() + "update_all<" + group.width() + ">(" + rule + ", "
                + slots.elements() + ", " + slots.block() + ");");
        group.first().launch(call.threads(UpdateGroup.THREADS).grid(group.blocks()));
    }
}
