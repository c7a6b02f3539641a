package dev.remat.cli.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.ir.execution.PlanSet;
import dev.remat.runtime.process.ProcessGroup;
import dev.remat.runtime.process.RanksDifferException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The plans that the first process has made for all, since a search that time ends does not find the same twice.
 *
 * @param training of each stage; one of a step that is not cut
 * @param microBatches that stages take in a step
 * @param evaluation takes turns with it
 */
public record SharedPlan(List<ExecutionPlan> training, int microBatches, Optional<ExecutionPlan> evaluation) {
    private static final byte[] NOTHING = {};

    public SharedPlan {
        training = List.copyOf(training);
    }

    /** Of a step that is not cut. */
    public static SharedPlan of(ExecutionPlan training, Optional<ExecutionPlan> evaluation) {
        return new SharedPlan(List.of(training), 1, evaluation);
    }

    /** Of one in stages. */
    public static SharedPlan of(PlanSet training, Optional<ExecutionPlan> evaluation) {
        return new SharedPlan(training.stages(), training.microBatches(), evaluation);
    }

    /** The stages; empty of a step that is not cut. */
    public Optional<PlanSet> stages() {
        return training.size() == 1 ? Optional.empty() : Optional.of(new PlanSet(training, microBatches));
    }

    /** On the first process. */
    public void giveTo(ProcessGroup others) {
        others.ofFirst(ByteBuffer.allocate(2 * Integer.BYTES)
                .putInt(training.size())
                .putInt(microBatches)
                .array());
        training.forEach(plan -> others.ofFirst(bytes(plan)));
        others.ofFirst(evaluation.map(SharedPlan::bytes).orElse(NOTHING));
    }

    /**
     * On the others.
     *
     * @throws RanksDifferException if the first is to train in another number of stages than this one
     */
    public static SharedPlan takeFrom(ProcessGroup first) {
        ByteBuffer numbers = ByteBuffer.wrap(first.ofFirst(NOTHING));
        int stages = numbers.getInt();
        int microBatches = numbers.getInt();
        int own = first.grid().stages();
        if (stages != own) {
            throw new RanksDifferException(
                    List.of("--stages is " + stages + " on rank 0 and " + own + " on rank " + first.rank()));
        }
        List<ExecutionPlan> training = new ArrayList<>();
        for (int stage = 0; stage < stages; stage++) {
            training.add(read(first.ofFirst(NOTHING)));
        }
        byte[] evaluation = first.ofFirst(NOTHING);
        return new SharedPlan(
                training, microBatches, evaluation.length == 0 ? Optional.empty() : Optional.of(read(evaluation)));
    }

    private static byte[] bytes(ExecutionPlan plan) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ExecutionPlanJson.write(plan, out);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ExecutionPlan read(byte[] bytes) {
        try {
            return ExecutionPlanJson.read(new ByteArrayInputStream(bytes));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
