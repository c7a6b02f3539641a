package dev.remat.compiler.memory;

import dev.remat.compiler.kernel.KernelGraph;
import dev.remat.ir.plan.BufferLifetime;
import dev.remat.ir.target.TargetModel;
import java.util.ArrayList;
import java.util.List;

/** How many bytes are in use at every kernel, its workspace included. */
final class LiveBytes {
    private LiveBytes() {}

    static List<Long> of(KernelGraph graph, TargetModel target) {
        List<BufferLifetime> buffers = new ArrayList<>();
        Lifetimes.of(graph)
                .allocations()
                .forEach(place -> buffers.add(new BufferLifetime(
                        "", place.first(), place.last() + 1, place.bytes(), place.alignment(target))));
        int kernels = graph.kernels().size();
        for (int k = 0; k < kernels; k++) {
            long bytes = target.workspaceBytes(graph.kernels().get(k).body());
            buffers.add(new BufferLifetime("", k, k + 1, bytes, target.alignment()));
        }
        return of(buffers, kernels);
    }

    /** @param buffers by the kernels that they are in use at */
    static List<Long> of(List<BufferLifetime> buffers, int kernels) {
        long[] change = new long[kernels + 2];
        for (BufferLifetime buffer : buffers) {
            change[buffer.lower()] += buffer.alignedSize();
            change[buffer.upper()] -= buffer.alignedSize();
        }
        List<Long> live = new ArrayList<>(kernels);
        long sum = 0;
        for (int k = 0; k < kernels; k++) {
            sum += change[k];
            live.add(sum);
        }
        return live;
    }
}
