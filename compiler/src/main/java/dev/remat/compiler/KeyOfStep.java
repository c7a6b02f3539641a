package dev.remat.compiler;

import dev.remat.compiler.remat.PlanningProblem;
import dev.remat.compiler.search.Request;
import dev.remat.compiler.section.PreparedSection;
import dev.remat.compiler.solve.ProblemWriter;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.plan.RematProblem;
import dev.remat.ir.target.TargetModel;
import dev.remat.ir.text.GraphPrinter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.stream.Stream;

/**
 * The hash of all that the plan of a step follows from, but for remat itself: the problem that strategies see, the
 * graphs and the target by which plans are measured, and what was asked. How a search is followed, and for how long, is
 * not among it.
 */
final class KeyOfStep {
    private final MessageDigest digest = Sha256.digest();

    private KeyOfStep() {}

    /** 64 hexadecimal digits. */
    static String of(PreparedStep step, Request request, TargetModel target) {
        KeyOfStep key = new KeyOfStep();
        key.add(target.getClass().getName());
        key.add(target.name());
        key.add(target.device().toString());
        CompileOptions options = step.options();
        key.add(request.strategy().map(planner -> "by " + planner.name()).orElse(""));
        key.add(request.budget().map(Object::toString).orElse(""));
        key.add(request.proves() ? "proven" : "");
        key.add(options.budget().map(Object::toString).orElse(""));
        key.add(options.effort().toString());
        key.add(options.below().toString());
        key.add(step.rounds() + " rounds, " + step.before().size() + " sections before");
        key.add(step.planning());
        Stream.concat(step.before().stream(), step.after().stream()).forEach(key::add);
        return Sha256.hex(key.digest);
    }

    /** The same of a problem alone. */
    static String of(RematProblem problem) {
        KeyOfStep key = new KeyOfStep();
        key.add(ProblemWriter.write(problem));
        return Sha256.hex(key.digest);
    }

    private void add(PreparedSection section) {
        add(section.rounds() + " rounds");
        add(section.planning());
    }

    private void add(PlanningProblem planning) {
        add(GraphPrinter.print(planning.fused().graph()));
        add(ProblemWriter.write(planning.problem()));
        if (!planning.problem().tiers().isEmpty()) {
            add(ProblemWriter.write(planning.exact()));
        }
    }

    /** Adds a text behind its length, so that it counts where one ends. */
    private void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
        digest.update(bytes);
    }
}
