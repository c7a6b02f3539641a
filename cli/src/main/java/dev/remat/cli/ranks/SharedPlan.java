package dev.remat.cli.ranks;

import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.ExecutionPlanJson;
import dev.remat.runtime.process.ProcessGroup;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The plans that the first rank has made for all, since a search that time ends does not find the same twice.
 *
 * @param evaluation takes turns with it
 */
public record SharedPlan(ExecutionPlan training, Optional<ExecutionPlan> evaluation) {
    private static final byte[] NOTHING = {};

    /** On the first rank. */
    public void giveTo(ProcessGroup others) {
        others.ofFirst(bytes(training));
        others.ofFirst(evaluation.map(SharedPlan::bytes).orElse(NOTHING));
    }

    /** On the others. */
    public static SharedPlan takeFrom(ProcessGroup first) {
        ExecutionPlan training = read(first.ofFirst(NOTHING));
        byte[] evaluation = first.ofFirst(NOTHING);
        return new SharedPlan(training, evaluation.length == 0 ? Optional.empty() : Optional.of(read(evaluation)));
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
