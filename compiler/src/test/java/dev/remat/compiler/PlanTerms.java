package dev.remat.compiler;

import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryRead;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs a plan on terms instead of numbers: what each output, parameter and state is a function of. Two plans with equal
 * terms compute equal bits. Terms are numbered as they come up, so that equal terms have equal numbers within one
 * object.
 */
public final class PlanTerms {
    private final Map<List<Object>, Integer> terms = new LinkedHashMap<>();

    private int term(Object... parts) {
        return terms.computeIfAbsent(List.of(parts), key -> terms.size());
    }

    /** Terms of the outputs and of what every parameter and state holds when the step is over, by name. */
    public Map<String, Integer> run(ExecutionPlan plan) {
        Map<Integer, Integer> memory = new LinkedHashMap<>();
        Map<Integer, TensorType> types = new LinkedHashMap<>();
        Map<String, Integer> results = new TreeMap<>();
        Map<Integer, String> inputs = new LinkedHashMap<>();
        for (ArenaTensor input : plan.inputs()) {
            memory.put(input.value(), term("input", input.name(), input.type()));
            types.put(input.value(), input.type());
            inputs.put(input.value(), input.name());
            results.put(input.name(), memory.get(input.value()));
        }
        for (KernelStep step : plan.steps()) {
            List<Integer> made = new ArrayList<>();
            for (Instruction instruction : step.body().instructions()) {
                List<Object> parts = new ArrayList<>(List.of(instruction.op(), instruction.types()));
                for (Operand operand : instruction.operands()) {
                    parts.add(
                            switch (operand) {
                                case Operand.FromMemory(int index) ->
                                    read(step.reads().get(index), memory, types);
                                case Operand.FromInstruction(int from, int result) ->
                                    term("result", made.get(from), result);
                                case Operand.FromSeed(int ordinal) -> "seed " + ordinal;
                            });
                }
                made.add(term(parts.toArray()));
            }
            for (MemoryWrite write : step.writes()) {
                int written = term("result", made.get(write.instruction()), write.result());
                memory.put(write.value(), written);
                types.put(write.value(), write.type());
                Instruction instruction = step.body().instructions().get(write.instruction());
                if (instruction.op() instanceof Update update) {
                    Operand operand = instruction
                            .operands()
                            .get(update.writes().stream()
                                    .filter(w -> w.result() == write.result())
                                    .findFirst()
                                    .orElseThrow()
                                    .operand());
                    int index = ((Operand.FromMemory) operand).index();
                    results.put(inputs.get(step.reads().get(index).value()), written);
                }
            }
        }
        for (PlanOutput output : plan.outputs()) {
            results.put("output " + output.name(), memory.get(output.value()));
        }
        return results;
    }

    private int read(MemoryRead read, Map<Integer, Integer> memory, Map<Integer, TensorType> types) {
        int whole = memory.get(read.value());
        boolean dense =
                read.view().equals(StridedView.dense(types.get(read.value()).shape()));
        return dense ? whole : term("view", whole, read.view());
    }
}
