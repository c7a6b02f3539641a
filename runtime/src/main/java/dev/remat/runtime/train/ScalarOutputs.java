package dev.remat.runtime.train;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.runtime.Executable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/** What a model reports beside its loss in single numbers, such as an accuracy. */
final class ScalarOutputs {
    private final Executable executable;
    private final List<PlanOutput> outputs;

    ScalarOutputs(Executable executable) {
        this.executable = executable;
        this.outputs = executable.plan().outputs().stream()
                .filter(output -> output.type().shape().rank() == 0)
                .filter(output -> !output.name().equals(ExecutionPlan.LOSS))
                .toList();
    }

    /** Their values by name in the order of the model, after a run of the plan. */
    SequencedMap<String, Double> read() {
        SequencedMap<String, Double> values = new LinkedHashMap<>();
        outputs.forEach(output -> values.put(output.name(), Scalars.read(executable, output)));
        return values;
    }
}
