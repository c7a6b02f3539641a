package dev.remat.compiler.section;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.KernelStep.Placement;
import dev.remat.ir.execution.PlanOutput;
import dev.remat.ir.execution.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes one plan of the plans of sections that share an arena: their steps one section after another. Inputs of one
 * name are one tensor; other tensors of later sections get ids of their own.
 */
public final class JoinSections {
    /** @param rounds how often the steps run */
    public record Part(ExecutionPlan plan, int rounds) {}

    private final List<KernelStep> steps = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final List<PlanOutput> outputs = new ArrayList<>();
    private final Map<String, ArenaTensor> inputs = new LinkedHashMap<>();
    private int ids;

    private JoinSections(ExecutionPlan body) {
        body.inputs().forEach(input -> inputs.put(input.name(), input));
        ids = 1 + largestId(body);
    }

    /**
     * @param before parts that run before the body
     * @param round the body, which has the inputs of all parts
     * @param after parts that run after it
     * @param arenaBytes of the arena
     */
    public static ExecutionPlan run(List<Part> before, Part round, List<Part> after, long arenaBytes) {
        ExecutionPlan body = round.plan();
        JoinSections join = new JoinSections(body);
        before.forEach(part -> join.append(part, false));
        join.append(round, true);
        after.forEach(part -> join.append(part, false));
        return new ExecutionPlan(
                body.model(),
                body.modelHash(),
                body.target(),
                body.seed(),
                arenaBytes,
                body.inputs(),
                join.steps,
                join.sections,
                join.outputs);
    }

    private void append(Part part, boolean isBody) {
        int first = steps.size();
        Map<Integer, Integer> renamed = new LinkedHashMap<>();
        if (!isBody) {
            for (ArenaTensor input : part.plan().inputs()) {
                renamed.put(input.value(), inputs.get(input.name()).value());
            }
        }
        for (KernelStep step : part.plan().steps()) {
            steps.add(isBody ? step : renamed(step, renamed));
        }
        for (PlanOutput output : part.plan().outputs()) {
            int value = isBody ? output.value() : renamed(output.value(), renamed);
            int readyAfter = output.readyAfter() < 0 ? -1 : first + output.readyAfter();
            outputs.add(new PlanOutput(output.name(), value, output.type(), output.offset(), readyAfter));
        }
        sections.add(new Section(first, steps.size(), part.rounds()));
    }

    private KernelStep renamed(KernelStep step, Map<Integer, Integer> renamed) {
        return new KernelStep(
                step.name(),
                step.role(),
                step.location(),
                step.recomputed(),
                step.body(),
                step.buffers().stream().map(place -> renamed(place, renamed)).toList(),
                step.results().stream().map(place -> renamed(place, renamed)).toList(),
                step.workspace(),
                step.freed());
    }

    private Placement renamed(Placement place, Map<Integer, Integer> renamed) {
        return new Placement(renamed(place.value(), renamed), place.offset());
    }

    private int renamed(int value, Map<Integer, Integer> renamed) {
        return renamed.computeIfAbsent(value, id -> ids++);
    }

    private static int largestId(ExecutionPlan plan) {
        int largest = -1;
        for (ArenaTensor input : plan.inputs()) {
            largest = Math.max(largest, input.value());
        }
        for (KernelStep step : plan.steps()) {
            for (Placement result : step.results()) {
                largest = Math.max(largest, result.value());
            }
        }
        return largest;
    }
}
