package dev.remat.runtime.log;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.graph.ShareOf;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.OwnShare;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * The learning rates of a plan.
 *
 * @param schedules each once, by the first of the parameters that it moves, in the order of the model
 */
public record LearningRates(SequencedMap<String, LearningRateSchedule> schedules) {
    /** Those by which the plan updates parameters, of which ranks may have shares. */
    public static LearningRates of(ExecutionPlan plan) {
        return of(
                plan,
                plan.inputs().stream()
                        .flatMap(LearningRates::tensors)
                        .distinct()
                        .toList());
    }

    /** @param parameters in the order of the model, which a plan does not say of those that ranks have in shares */
    public static LearningRates of(ExecutionPlan plan, List<String> parameters) {
        Map<Integer, LearningRateSchedule> byInput = byInput(plan);
        Map<String, LearningRateSchedule> byName = new HashMap<>();
        plan.inputs().stream()
                .filter(input -> byInput.containsKey(input.value()))
                .forEach(input -> tensors(input).forEach(name -> byName.put(name, byInput.get(input.value()))));
        SequencedMap<String, LearningRateSchedule> schedules = new LinkedHashMap<>();
        for (String parameter : parameters) {
            LearningRateSchedule schedule = byName.get(parameter);
            if (schedule != null && !schedules.containsValue(schedule)) {
                schedules.put(parameter, schedule);
            }
        }
        return new LearningRates(schedules);
    }

    /** The name of an input, or of those of which it is a share. */
    private static Stream<String> tensors(ArenaTensor input) {
        return input.share()
                .map(share -> share.parts().stream().map(ShareOf.Part::tensor))
                .orElseGet(() -> Stream.of(input.name()));
    }

    private static Map<Integer, LearningRateSchedule> byInput(ExecutionPlan plan) {
        Map<Integer, LearningRateSchedule> rates = rates(plan);
        Map<Integer, LearningRateSchedule> byInput = new HashMap<>();
        Map<Integer, Integer> fetched = fetched(plan);
        Map<Integer, List<Integer>> shared = shared(plan);
        for (KernelStep step : plan.steps()) {
            for (Instruction instruction : step.body().instructions()) {
                if (isOptimizer(instruction)) {
                    List<Integer> read = read(step, instruction);
                    List<Integer> updated = shared.getOrDefault(read.getFirst(), List.of(read.getFirst()));
                    read.stream()
                            .filter(rates::containsKey)
                            .findFirst()
                            .map(rates::get)
                            .ifPresent(schedule -> updated.forEach(
                                    value -> byInput.put(fetched.getOrDefault(value, value), schedule)));
                }
            }
        }
        return byInput;
    }

    /** What a rank takes its share of, by that. */
    private static Map<Integer, List<Integer>> shared(ExecutionPlan plan) {
        Map<Integer, List<Integer>> shared = new HashMap<>();
        for (KernelStep step : plan.steps()) {
            if (step.body().instructions().getFirst().op() instanceof OwnShare) {
                shared.put(
                        step.writes().getFirst().value(),
                        step.reads().stream().map(MemoryRead::value).toList());
            }
        }
        return shared;
    }

    /** What each tensor that comes from below the arena is there. */
    private static Map<Integer, Integer> fetched(ExecutionPlan plan) {
        Map<Integer, Integer> fetched = new HashMap<>();
        for (Transfer transfer : plan.transfers().all()) {
            if (!transfer.isStore()) {
                fetched.put(transfer.value(), transfer.stored());
            }
        }
        return fetched;
    }

    /** Rates and the scalars that are computed of them, by what they are. */
    private static Map<Integer, LearningRateSchedule> rates(ExecutionPlan plan) {
        Map<Integer, LearningRateSchedule> rates = new HashMap<>();
        for (KernelStep step : plan.steps()) {
            for (MemoryWrite write : step.writes()) {
                if (step.body().instructions().get(write.instruction()).op()
                        instanceof LearningRate(LearningRateSchedule schedule)) {
                    rates.put(write.value(), schedule);
                } else if (write.type().equals(TensorType.scalar(DType.F64))) {
                    step.reads().stream()
                            .map(read -> rates.get(read.value()))
                            .filter(Objects::nonNull)
                            .findFirst()
                            .ifPresent(schedule -> rates.put(write.value(), schedule));
                }
            }
        }
        return rates;
    }

    private static boolean isOptimizer(Instruction instruction) {
        return instruction.op() instanceof Update update
                && ElementwiseUpdate.in(update).isPresent();
    }

    /** The tensors that it finds in memory. */
    private static List<Integer> read(KernelStep step, Instruction instruction) {
        List<Integer> values = new ArrayList<>();
        for (Operand operand : instruction.operands()) {
            if (operand instanceof Operand.FromMemory(int index)) {
                values.add(step.read(index).value());
            }
        }
        return values;
    }
}
