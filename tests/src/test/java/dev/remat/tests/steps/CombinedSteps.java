package dev.remat.tests.steps;

import dev.remat.ir.Alignment;
import dev.remat.ir.DType;
import dev.remat.ir.Initializer;
import dev.remat.ir.TensorType;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.graph.InputKind;
import dev.remat.ir.target.TargetModel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Many single steps one after another in one plan, each over buffers of its own, so that one program runs them all.
 * Operands are inputs {@code case.N.operand.K}, stored results are outputs {@code case.N.result.K}.
 */
public final class CombinedSteps {
    private static final long FIRST = 1024;

    private final List<ArenaTensor> inputs = new ArrayList<>();
    private final List<KernelStep> steps = new ArrayList<>();
    private final List<PlanOutput> outputs = new ArrayList<>();
    private final List<SingleStep> singles = new ArrayList<>();
    private final List<Long> shifts = new ArrayList<>();
    private final String target;
    private long end = FIRST;

    private CombinedSteps(String target) {
        this.target = target;
    }

    public static CombinedSteps of(List<OpCase> cases, TargetModel target) {
        CombinedSteps combined = new CombinedSteps(target.name());
        combined.inputs.add(ArenaTensor.ofStep(0, InputKind.STEP, 0));
        combined.inputs.add(ArenaTensor.ofStep(1, InputKind.SEED, 512));
        combined.inputs.add(ArenaTensor.ofStep(2, InputKind.MICRO_BATCH, 768));
        combined.input(ExecutionPlan.LOSS + ".constant", TensorType.scalar(DType.F32), InputKind.STATE, 256);
        cases.forEach(each -> combined.add(SingleStep.of(each.sample(), target)));
        return combined;
    }

    private void input(String name, TensorType type, InputKind kind, long offset) {
        inputs.add(new ArenaTensor(inputs.size(), name, type, kind, Initializer.ZEROS, offset, Location.NONE));
    }

    private void add(SingleStep single) {
        long by = end;
        String name = "case." + singles.size();
        KernelStep step = single.step();
        for (int k = 0; k < step.reads().size(); k++) {
            TensorType buffer = single.sample().sources().get(k).buffer().type();
            input(
                    name + ".operand." + k,
                    buffer,
                    InputKind.STATE,
                    step.reads().get(k).offset() + by);
        }
        for (MemoryWrite write : step.writes()) {
            outputs.add(new PlanOutput(
                    name + ".result." + write.result() + "." + write.instruction(),
                    outputs.size(),
                    write.type(),
                    write.offset() + by,
                    steps.size()));
        }
        steps.add(new KernelStep(
                name,
                step.role(),
                step.location(),
                false,
                step.body(),
                moved(step.buffers(), by),
                moved(step.results(), by),
                new ByteRange(step.workspace().offset() + by, step.workspace().bytes()),
                List.of()));
        singles.add(single);
        shifts.add(by);
        end += Alignment.up(single.plan().arenaBytes(), 256);
    }

    private static List<KernelStep.Placement> moved(List<KernelStep.Placement> places, long by) {
        return places.stream()
                .map(place -> new KernelStep.Placement(place.value(), place.offset() + by))
                .toList();
    }

    public ExecutionPlan plan() {
        List<PlanOutput> all = new ArrayList<>(outputs);
        all.add(new PlanOutput(ExecutionPlan.LOSS, 1, TensorType.scalar(DType.F32), 256, steps.size() - 1));
        return new ExecutionPlan("operations", "0".repeat(64), target, SingleStep.SEED, end, inputs, steps, all);
    }

    /** Puts all operands, the step's number, 1, the seed and the micro-batch, 0, into the arena. */
    public void load(MemorySegment arena) {
        for (int i = 0; i < singles.size(); i++) {
            SingleStep single = singles.get(i);
            single.load(arena.asSlice(shifts.get(i), single.plan().arenaBytes()));
        }
        plan().stepInputs(1, 0).forEach((offset, value) -> arena.set(ValueLayout.JAVA_LONG, offset, value));
        arena.set(ValueLayout.JAVA_FLOAT, 256, 0);
    }
}
