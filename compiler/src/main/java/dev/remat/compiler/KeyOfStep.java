package dev.remat.compiler;

import dev.remat.compiler.search.Request;
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
 *
 * @param whole 64 hexadecimal digits
 * @param problem the same of the problem alone
 */
record KeyOfStep(String whole, String problem) {
    static KeyOfStep of(PreparedStep step, Request request, TargetModel target) {
        String problem = of(step.planning().problem());
        CompileOptions options = step.options();
        Hash hash = new Hash();
        hash.add(problem);
        hash.add(target.getClass().getName());
        hash.add(target.name());
        hash.add(target.device().toString());
        hash.add(request.strategy().map(planner -> "by " + planner.name()).orElse(""));
        hash.add(request.budget().map(Object::toString).orElse(""));
        hash.add(request.proves() ? "proven" : "");
        hash.add(options.budget().map(Object::toString).orElse(""));
        hash.add(options.effort().toString());
        hash.add(options.below().toString());
        hash.add(step.rounds() + " rounds, " + step.before().size() + " sections before");
        hash.add(GraphPrinter.print(step.planning().fused().graph()));
        if (!step.planning().problem().tiers().isEmpty()) {
            hash.add(of(step.planning().exact()));
        }
        Stream.concat(step.before().stream(), step.after().stream()).forEach(section -> {
            hash.add(section.rounds() + " rounds");
            hash.add(GraphPrinter.print(section.planning().fused().graph()));
            hash.add(of(section.planning().problem()));
        });
        return new KeyOfStep(hash.end(), problem);
    }

    static String of(RematProblem problem) {
        Hash hash = new Hash();
        hash.add(ProblemWriter.write(problem));
        return hash.end();
    }

    private static final class Hash {
        private final MessageDigest digest = Sha256.digest();

        /** Adds a text behind its length, so that it counts where one ends. */
        void add(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
        }

        String end() {
            return Sha256.hex(digest);
        }
    }
}
