package dev.remat.compiler.report;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Step;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of what a plan does: kernels, operands, offsets. Names and places in the model file do not count. */
public final class PlanHash {
    private PlanHash() {}

    /** 64 hexadecimal digits. */
    public static String of(ExecutionPlan plan) {
        MessageDigest digest = sha256();
        add(digest, "remat-plan/1", plan.target(), plan.seed(), plan.arenaBytes());
        for (ArenaTensor input : plan.inputs()) {
            add(digest, input.value(), input.name(), input.type(), input.kind(), input.initializer(), input.offset());
        }
        for (Step step : plan.steps()) {
            add(digest, step.role(), step.reads(), step.workspace(), step.freed());
            for (Instruction instruction : step.body()) {
                add(digest, instruction.op().mnemonic(), instruction.op().attributes(), instruction.operands(),
                        instruction.types());
            }
            step.writes().forEach(write -> add(
                    digest, write.value(), write.offset(), write.type(), write.instruction(), write.result()));
        }
        plan.outputs().forEach(output -> add(digest, output.name(), output.value(), output.type(), output.offset()));
        return HexFormat.of().formatHex(digest.digest());
    }

    private static void add(MessageDigest digest, Object... parts) {
        for (Object part : parts) {
            digest.update(part.toString().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) '\n');
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
