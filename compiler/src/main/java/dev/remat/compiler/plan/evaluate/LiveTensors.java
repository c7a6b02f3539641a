package dev.remat.compiler.plan.evaluate;

import dev.remat.ir.plan.OperatorSequence;
import dev.remat.ir.plan.RematProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** What is in memory at one step of a sequence. */
public final class LiveTensors {
    /** A storage in use, by the name of the value that owns it. */
    public record Tensor(String name, long bytes) {}

    private LiveTensors() {}

    /** Residents and storages in use, largest first; names break ties. Requires a valid sequence. */
    public static List<Tensor> at(RematProblem problem, OperatorSequence sequence, int step) {
        List<Tensor> live = new ArrayList<>();
        for (int v = 0; v < problem.valueCount(); v++) {
            if (problem.staysOnDevice(v) && problem.storage(v) == v) {
                live.add(new Tensor(problem.valueId(v), problem.bytes(v)));
            }
        }
        StorageTimeline timeline = StorageTimeline.of(problem, sequence);
        for (int t = 0; t <= step; t++) {
            for (int result = 0; result < timeline.made(t); result++) {
                int instance = timeline.instance(t, result);
                int v = timeline.firstMade(t) + result;
                boolean owns = !timeline.resident(instance) && timeline.storage(instance) == instance;
                if (owns && timeline.last(instance) >= step) {
                    live.add(new Tensor(problem.valueId(v), problem.bytes(v)));
                }
            }
        }
        live.sort(Comparator.comparingLong((Tensor t) -> -t.bytes()).thenComparing(Tensor::name));
        return live;
    }
}
