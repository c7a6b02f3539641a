package dev.remat.runtime.cuda;

import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.Launch;
import dev.remat.ir.artifact.ParameterType;
import dev.remat.ir.execution.ByteRange;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.KernelStep;
import java.util.ArrayList;
import java.util.List;

/**
 * How far into the arena each launch of a program reaches: to the end of the furthest range that it gets an address
 * in, of those that its steps read, write or scratch in. An address in none of them counts as an element.
 */
final class LaunchEnds {
    private LaunchEnds() {}

    static long[] of(ExecutionPlan plan, CudaProgram program) {
        List<Launch> launches = program.code().launches();
        long[] ends = new long[launches.size()];
        for (int i = 0; i < ends.length; i++) {
            Launch launch = launches.get(i);
            List<ByteRange> ranges = ranges(plan, launch.step(), lastStep(plan, launches, i));
            ends[i] = end(launch, program.kernels().get(launch.kernel()), ranges);
        }
        return ends;
    }

    /** Updates that follow one another are one launch, which names the first. */
    private static int lastStep(ExecutionPlan plan, List<Launch> launches, int index) {
        for (int next = index + 1; next < launches.size(); next++) {
            if (launches.get(next).step() > launches.get(index).step()) {
                return launches.get(next).step() - 1;
            }
        }
        return plan.steps().size() - 1;
    }

    private static List<ByteRange> ranges(ExecutionPlan plan, int first, int last) {
        List<ByteRange> ranges = new ArrayList<>();
        for (int s = first; s <= last; s++) {
            KernelStep step = plan.steps().get(s);
            step.reads().forEach(read -> ranges.add(new ByteRange(read.offset(), read.bytes())));
            step.writes().forEach(write -> ranges.add(new ByteRange(write.offset(), write.bytes())));
            ranges.add(step.workspace());
        }
        return ranges;
    }

    private static long end(Launch launch, KernelEntry kernel, List<ByteRange> ranges) {
        long end = 0;
        for (int p = 0; p < launch.arguments().size(); p++) {
            long place = launch.arguments().get(p);
            if (kernel.parameters().get(p) == ParameterType.POINTER && place != ParameterType.NULL) {
                end = Math.max(end, place + Long.BYTES);
                for (ByteRange range : ranges) {
                    if (range.offset() <= place && place < range.end()) {
                        end = Math.max(end, range.end());
                    }
                }
            }
        }
        return end;
    }
}
