package dev.remat.runtime.log;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.Transfer;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.LearningRate;
import dev.remat.ir.op.LearningRateSchedule;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedMap;

/**
 * The learning rates of a plan.
 *
 * @param schedules each once, by the first of the parameters that it moves, in the order of the model
 */
public record LearningRates(SequencedMap<String, LearningRateSchedule> schedules) {
    /** Those by which the plan updates parameters. */
    public static LearningRates of(ExecutionPlan plan) {
        Map<Integer, LearningRateSchedule> rates = rates(plan);
        Map<Integer, LearningRateSchedule> byParameter = new HashMap<>();
        Map<Integer, Integer> fetched = fetched(plan);
        for (KernelStep step : plan.steps()) {
            for (Instruction instruction : step.body().instructions()) {
                if (isOptimizer(instruction)) {
                    List<Integer> read = read(step, instruction);
                    read.stream()
                            .filter(rates::containsKey)
                            .findFirst()
                            .ifPresent(rate -> byParameter.put(
                                    fetched.getOrDefault(read.getFirst(), read.getFirst()), rates.get(rate)));
                }
            }
        }
        SequencedMap<String, LearningRateSchedule> schedules = new LinkedHashMap<>();
        for (ArenaTensor input : plan.inputs()) {
            LearningRateSchedule schedule = byParameter.get(input.value());
            if (schedule != null && !schedules.containsValue(schedule)) {
                schedules.put(input.name(), schedule);
            }
        }
        return new LearningRates(schedules);
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
