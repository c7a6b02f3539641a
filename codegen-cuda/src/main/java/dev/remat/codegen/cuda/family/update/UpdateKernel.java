package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaKernel;
import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.ManyTensors;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.op.Accumulate;
import dev.remat.ir.op.AdafactorUpdate;
import dev.remat.ir.op.AdagradUpdate;
import dev.remat.ir.op.AdamUpdate;
import dev.remat.ir.op.AdamVariantUpdate;
import dev.remat.ir.op.Assign;
import dev.remat.ir.op.AverageUpdate;
import dev.remat.ir.op.CombineStatistics;
import dev.remat.ir.op.ConditionalUpdate;
import dev.remat.ir.op.LionUpdate;
import dev.remat.ir.op.RmsPropUpdate;
import dev.remat.ir.op.RunningStatistics;
import dev.remat.ir.op.SgdUpdate;
import dev.remat.ir.op.UpdateRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Updates of parameters, of their averages or of sums over micro-batches. Those that follow one another run as one
 * launch: clipping by the norm makes every update wait for the last gradient, and then they come all at once.
 */
public record UpdateKernel() implements CudaKernel {
    private static final String HEADER = "optimizer.cuh";
    private static final String ADAPTIVE = "adaptive.cuh";

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
            case SgdUpdate op -> sgd(op, group);
            case AdamUpdate op -> adam(op, group);
            case LionUpdate op -> lion(op, group);
            case AdagradUpdate op -> adagrad(op, group);
            case RmsPropUpdate op -> rmsProp(op, group);
            case AdafactorUpdate op -> adafactor(op, group);
            case AdamVariantUpdate op -> adamVariant(op, group);
            case AverageUpdate op -> average(op, group);
            case Assign _ -> assign(group);
            case Accumulate _ -> accumulate(group);
            case UpdateRows op -> throw new IllegalStateException(op.mnemonic() + " is of rows twice");
            case ConditionalUpdate op -> throw new IllegalStateException(op.mnemonic() + " is conditional twice");
            case CombineStatistics _, RunningStatistics _ ->
                throw new IllegalStateException(group.update().mnemonic() + " is of statistics");
        }
    }

    private static void sgd(SgdUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "sgd_" + types(step) + group.suffix(), HEADER);
        UpdateGroup.Slots slots = group.declare(call, op.hasVelocity() ? List.of(0, 1, 3) : List.of(0, 1));
        List<String> members = new ArrayList<>(slots.operands());
        if (!op.hasVelocity()) {
            members.add("nullptr");
        }
        members.add(slots.results().getFirst());
        members.add(op.hasVelocity() ? slots.results().get(1) : "nullptr");
        String number = CudaType.accumulator(type);
        members.add(rate(step, call, number, 2));
        members.add(factor(step, call, number, op.clipped(), op.factorIndex()));
        members.add(call.real(type, op.momentum()));
        members.add(
                op.isDampened()
                        ? "*" + step.input(call, 4) + " == 1 ? " + call.real(type, 1) + " : "
                                + call.real(type, 1 - op.dampening())
                        : call.real(type, 1));
        members.add(call.real(type, op.weightDecay()));
        members.add(op.nesterov() ? "true" : "false");
        launch(group, call, slots, "", rule("Sgd", step, members));
    }

    private static void adam(AdamUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "adam_" + types(step) + group.suffix(), HEADER);
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1, 2, 3));
        List<String> members = new ArrayList<>(slots.operands());
        members.addAll(slots.results());
        String number = CudaType.accumulator(type);
        String rate = rate(step, call, number, 4);
        members.add(factor(step, call, number, op.clipped(), 6));
        members.add(call.real(type, op.decoupled() ? 0 : op.weightDecay()));
        members.add(rate + " * " + call.real(type, op.decoupled() ? op.weightDecay() : 0));
        for (double beta : new double[] {op.beta1(), op.beta2()}) {
            members.add(call.real(type, beta));
            members.add(call.real(type, 1 - beta));
        }
        members.add(call.real(type, op.epsilon()));
        members.add(rate + " * first");
        members.add("second");
        String before = number + " first, second;\nbias_corrections(" + call.real(DType.F64, op.beta1()) + ", "
                + call.real(DType.F64, op.beta2()) + ", " + step.input(call, 5) + ", first, second);\n";
        launch(group, call, slots, before, rule("Adam", step, members));
    }

    private static void adamVariant(AdamVariantUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        String kind = op.kind().name().toLowerCase(Locale.ROOT);
        KernelCall call = new KernelCall("optimizer", kind + "_" + types(step) + group.suffix(), "moments.cuh");
        UpdateGroup.Slots slots =
                group.declare(call, IntStream.range(0, op.rateIndex()).boxed().toList());
        List<String> members = new ArrayList<>(slots.operands());
        boolean largest = op.kind() == AdamVariantUpdate.Kind.AMSGRAD;
        if (!largest) {
            members.add("nullptr");
        }
        members.addAll(slots.results());
        if (!largest) {
            members.add("nullptr");
        }
        String number = CudaType.accumulator(type);
        members.add(factor(step, call, number, op.clipped(), op.factorIndex()));
        members.add(call.real(type, op.decoupled() ? 0 : op.weightDecay()));
        members.add(rate(step, call, number, op.rateIndex()) + " * "
                + call.real(type, op.decoupled() ? op.weightDecay() : 0));
        for (double beta : new double[] {op.beta1(), op.beta2()}) {
            members.add(call.real(type, beta));
            members.add(call.real(type, 1 - beta));
        }
        members.add(call.real(type, op.epsilon()));
        for (int size = 1; size <= op.kind().sizes(); size++) {
            members.add(rate(step, call, number, op.rateIndex() + size));
        }
        String rule = "AdamVariant<Variant::" + op.kind() + ", " + element(step, 0) + ", " + element(step, 1) + ">{"
                + String.join(", ", members) + "}";
        launch(group, call, slots, "", rule);
    }

    private static void lion(LionUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "lion_" + types(step) + group.suffix(), ADAPTIVE);
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1, 2));
        List<String> members = new ArrayList<>(slots.operands());
        members.addAll(slots.results());
        String number = CudaType.accumulator(type);
        String rate = rate(step, call, number, 3);
        members.add(factor(step, call, number, op.clipped(), 4));
        members.add(rate);
        members.add(rate + " * " + call.real(type, op.weightDecay()));
        for (double beta : new double[] {op.beta1(), op.beta2()}) {
            members.add(call.real(type, beta));
            members.add(call.real(type, 1 - beta));
        }
        launch(group, call, slots, "", rule("Lion", step, members));
    }

    private static void adagrad(AdagradUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "adagrad_" + types(step) + group.suffix(), ADAPTIVE);
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1, 2));
        List<String> members = new ArrayList<>(slots.operands());
        members.addAll(slots.results());
        String number = CudaType.accumulator(type);
        members.add(factor(step, call, number, op.clipped(), 5));
        members.add("slowed_rate<" + number + ">(widen(*" + step.input(call, 3) + "), "
                + call.real(DType.F64, op.rateDecay()) + ", *" + step.input(call, 4) + ")");
        members.add(call.real(type, op.weightDecay()));
        members.add(call.real(type, op.epsilon()));
        launch(group, call, slots, "", rule("Adagrad", step, members));
    }

    private static void rmsProp(RmsPropUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "rmsprop_" + types(step) + group.suffix(), ADAPTIVE);
        List<Integer> tensors = new ArrayList<>(List.of(0, 1));
        IntStream.range(0, op.states()).forEach(state -> tensors.add(3 + state));
        UpdateGroup.Slots slots = group.declare(call, tensors);
        List<String> operands =
                optional(slots.operands().subList(2, slots.operands().size()), op);
        List<String> results =
                optional(slots.results().subList(1, slots.results().size()), op);
        List<String> members = new ArrayList<>(slots.operands().subList(0, 2));
        members.addAll(operands);
        members.add(slots.results().getFirst());
        members.addAll(results);
        String number = CudaType.accumulator(type);
        members.add(rate(step, call, number, 2));
        members.add(factor(step, call, number, op.clipped(), 3 + op.states()));
        for (double value : new double[] {op.alpha(), 1 - op.alpha(), op.epsilon(), op.weightDecay(), op.momentum()}) {
            members.add(call.real(type, value));
        }
        launch(group, call, slots, "", rule("RmsProp", step, members));
    }

    /** Squares, gradients and velocity, null where there are none. */
    private static List<String> optional(List<String> states, RmsPropUpdate op) {
        return List.of(
                states.getFirst(),
                op.centered() ? states.get(1) : "nullptr",
                op.hasVelocity() ? states.getLast() : "nullptr");
    }

    private static void adafactor(AdafactorUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        TensorType type = step.operandType(0);
        String kind = op.factored() ? "adafactor_" : "adafactor_whole_";
        KernelCall call = new KernelCall("optimizer", kind + types(step) + group.suffix(), "adafactor.cuh");
        UpdateGroup.Slots slots = group.declare(call, op.factored() ? List.of(0, 1) : List.of(0, 1, 4));
        List<String> members = new ArrayList<>(slots.operands().subList(0, 2));
        if (op.factored()) {
            members.add(step.input(call, 4));
            members.add(step.input(call, 5));
            members.add(call.u64(type.dim(type.rank() - 2).value()));
            members.add(call.u64(type.dim(type.rank() - 1).value()));
        } else {
            members.addAll(List.of(slots.operands().get(2), "nullptr", "1", "1"));
        }
        members.add(slots.results().getFirst());
        String number = CudaType.accumulator(type.dtype());
        members.add(rate(step, call, number, 3) + " * " + factor(step, call, number, op.clipped(), op.factorIndex()));
        members.add(rate(step, call, number, 2) + " * " + call.real(type.dtype(), op.weightDecay()));
        members.add(call.real(type.dtype(), op.epsilon()));
        launch(group, call, slots, "", rule("Adafactor", step, members));
    }

    private static String rate(KernelStepBinding step, KernelCall call, String number, int operand) {
        return "static_cast<" + number + ">(widen(*" + step.input(call, operand) + "))";
    }

    private static String rule(String name, KernelStepBinding step, List<String> members) {
        return name + "<" + element(step, 0) + ", " + element(step, 1) + ">{" + String.join(", ", members) + "}";
    }

    private static void average(AverageUpdate op, UpdateGroup group) {
        KernelStepBinding step = group.first();
        DType type = step.operandType(0).dtype();
        KernelCall call = new KernelCall("optimizer", "average_" + type.label() + group.suffix(), "average.cuh");
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1));
        String number = CudaType.accumulator(type);
        String before = "const double kept = average_keep(" + call.real(DType.F64, op.decay()) + ", "
                + (op.warmup() ? "true" : "false") + ", *" + step.input(call, 2) + ");\n";
        List<String> members = new ArrayList<>(slots.operands());
        members.add(slots.results().getFirst());
        members.add("static_cast<" + number + ">(kept)");
        members.add("static_cast<" + number + ">(1.0 - kept)");
        launch(group, call, slots, before, "Average<" + element(step, 0) + ">{" + String.join(", ", members) + "}");
    }

    private static void assign(UpdateGroup group) {
        String element = element(group.first(), 0);
        KernelCall call = new KernelCall(
                "optimizer", "assign_" + group.first().operandType(0).dtype().label() + group.suffix(), "assign.cuh");
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1));
        List<String> members = List.of(slots.operands().get(1), slots.results().getFirst());
        launch(group, call, slots, "", "Assign<" + element + ">{" + String.join(", ", members) + "}");
    }

    private static void accumulate(UpdateGroup group) {
        KernelStepBinding step = group.first();
        KernelCall call = new KernelCall(
                "optimizer", "accumulate_" + step.operandType(0).dtype().label() + group.suffix(), "micro_batches.cuh");
        UpdateGroup.Slots slots = group.declare(call, List.of(0, 1));
        List<String> members = new ArrayList<>(slots.operands());
        members.addAll(slots.results());
        members.add("*" + step.input(call, 2) + " == 0");
        launch(group, call, slots, "", "Accumulate<" + element(step, 0) + ">{" + String.join(", ", members) + "}");
    }

    private static String element(KernelStepBinding step, int operand) {
        return CudaType.of(step.operandType(operand).dtype());
    }

    private static String types(KernelStepBinding step) {
        return step.operandType(0).dtype().label() + "_"
                + step.operandType(1).dtype().label();
    }

    private static String factor(KernelStepBinding step, KernelCall call, String number, boolean clipped, int operand) {
        return clipped ? "factor_of<" + number + ">(" + step.input(call, operand) + ")" : number + "(1)";
    }

    private static void launch(
            UpdateGroup group, KernelCall call, UpdateGroup.Slots slots, String before, String rule) {
        call.body(group.condition(call) + slots.choice() + before + "update_all<" + group.width() + ">(" + rule + ", "
                + slots.elements() + ", " + slots.block() + ");");
        group.first().launch(call.threads(UpdateGroup.THREADS).grid(group.blocks()));
    }
}
