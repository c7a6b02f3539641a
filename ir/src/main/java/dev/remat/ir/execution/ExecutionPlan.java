package dev.remat.ir.execution;

import java.util.List;

/**
 * One training step, ready to run: kernels in order, each over fixed offsets of one arena.
 *
 * @param model name of the model
 * @param modelHash SHA-256 of the model's canonical form
 * @param target whose kernels the workspaces were sized for
 * @param seed user seed of every random draw
 * @param arenaBytes size of the arena; nothing else is allocated
 * @param inputs tensors that outlive the step, and its data
 */
public record ExecutionPlan(
        String model,
        String modelHash,
        String target,
        long seed,
        long arenaBytes,
        List<ArenaTensor> inputs,
        List<KernelStep> steps,
        List<PlanOutput> outputs) {
    /** Name of the output that training minimises. */
    public static final String LOSS = "loss";

    public ExecutionPlan {
        inputs = List.copyOf(inputs);
        steps = List.copyOf(steps);
        outputs = List.copyOf(outputs);
    }

    /**
     * The output called {@code name}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public PlanOutput output(String name) {
        return outputs.stream()
                .filter(o -> o.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("plan has no output " + name));
    }

    /**
     * The input called {@code name}.
     *
     * @throws IllegalArgumentException if there is none
     */
    public ArenaTensor input(String name) {
        return inputs.stream()
                .filter(t -> t.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("plan has no input " + name));
    }
}
