package dev.remat.compiler.layout;

import dev.remat.compiler.plan.Planner;
import dev.remat.compiler.plan.PlannerOptions;
import dev.remat.compiler.plan.TrainingSteps;
import dev.remat.compiler.plan.build.KeepAll;
import dev.remat.compiler.plan.evaluate.StorageTimeline;
import dev.remat.compiler.plan.segment.Sqrt;
import dev.remat.ir.plan.BufferLifetime;
import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Buffers to lay out: of whole training steps, and random ones. */
public final class Instances {
    private static final long ALIGNMENT = 256;

    private Instances() {}

    /** Steps of networks with and without long skips, each without recomputation and with that of √n segments. */
    public static Map<String, List<BufferLifetime>> trainingSteps() {
        Map<String, RematProblem> problems = new LinkedHashMap<>();
        problems.put("resnet50", TrainingSteps.resnet(32, 3, 4, 6, 3));
        problems.put("resnet152", TrainingSteps.resnet(32, 3, 8, 36, 3));
        problems.put("resnet1001", TrainingSteps.resnet(32, 83, 83, 83, 84));
        problems.put("resnet4004", TrainingSteps.resnet(32, 332, 332, 332, 338));
        problems.put("unet", TrainingSteps.unet(8, 5, 256));
        problems.put("chain", TrainingSteps.chain(500, 1000));
        Map<String, List<BufferLifetime>> all = new LinkedHashMap<>();
        problems.forEach((name, problem) -> {
            for (Planner planner : List.of(new KeepAll(), new Sqrt())) {
                all.put(name + " " + planner.name(), buffers(problem, planner.plan(problem, PlannerOptions.none())));
            }
        });
        return all;
    }

    /** All storage of a plan, residents included. */
    static List<BufferLifetime> buffers(RematProblem problem, OperatorSequence sequence) {
        List<BufferLifetime> buffers = new ArrayList<>();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (problem.residentNode(problem.producer(v))) {
                buffers.add(new BufferLifetime(problem.valueId(v), 0, sequence.length(), problem.bytes(v), ALIGNMENT));
            }
        }
        StorageTimeline timeline = StorageTimeline.of(problem, sequence);
        for (int t = 0; t < sequence.length(); t++) {
            int node = sequence.node(t);
            for (int k = 0; k < problem.endResult(node) - problem.firstResult(node); k++) {
                int i = timeline.instance(t, k);
                if (!timeline.resident(i) && timeline.storage(i) == i) {
                    int value = problem.firstResult(node) + k;
                    buffers.add(new BufferLifetime(
                            problem.valueId(value) + "@" + t,
                            t,
                            timeline.last(i) + 1,
                            problem.bytes(value),
                            ALIGNMENT));
                }
            }
        }
        return buffers;
    }

    /** Lifetimes of mixed length, sizes over three orders of magnitude. */
    public static List<BufferLifetime> random(long seed, int count, int steps) {
        SplittableRandom random = new SplittableRandom(seed);
        List<BufferLifetime> buffers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = 1 + random.nextInt(random.nextInt(20) == 0 ? steps / 10 : 10);
            int lower = random.nextInt(steps);
            long size = 1 + (long) Math.pow(2, 10 + 10 * random.nextDouble());
            buffers.add(new BufferLifetime("b" + i, lower, lower + length, size, ALIGNMENT));
        }
        return buffers;
    }
}
