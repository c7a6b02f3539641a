package dev.remat.benchmarks.libtorch;

import org.bytedeco.pytorch.BackendOptional;
import org.bytedeco.pytorch.BoolVector;
import org.bytedeco.pytorch.FileStore;
import org.bytedeco.pytorch.LongVector;
import org.bytedeco.pytorch.ProcessGroup;
import org.bytedeco.pytorch.ProcessGroupGloo;
import org.bytedeco.pytorch.Reducer;
import org.bytedeco.pytorch.SizeTStringMap;
import org.bytedeco.pytorch.SizeTVector;
import org.bytedeco.pytorch.SizeTVectorVector;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import org.bytedeco.pytorch.global.torch.DeviceType;

/**
 * What DistributedDataParallel of PyTorch 2 does around a step, by the same code and with its defaults: gradients
 * of all ranks are averaged in buckets of 25 MiB, the first of one, by Gloo, while backward still runs.
 */
final class DataParallel {
    private static final int THREADS = 2;

    private final Reducer reducer;
    /** What the reducer is made of. */
    private final ProcessGroup group;

    DataParallel(TensorVector parameters, ProcessGroup group) {
        this.group = group;
        long cap = torch.kDefaultBucketBytesCap();
        long first = torch.kDefaultFirstBucketBytes();
        SizeTVectorVector forward = torch.compute_bucket_assignment_by_size(parameters, new SizeTVector(first, cap))
                .get0();
        SizeTVectorVector buckets = new SizeTVectorVector();
        for (long i = forward.size() - 1; i >= 0; i--) {
            buckets.push_back(forward.get(i));
        }
        boolean[] sparse = new boolean[Math.toIntExact(parameters.size())];
        this.reducer = new Reducer(
                parameters,
                buckets,
                group,
                new BoolVector(sparse),
                cap,
                false,
                false,
                new SizeTStringMap(),
                first,
                false,
                false,
                new LongVector());
    }

    /**
     * All processes. The presets give a store away with its first use, so that the group has none of its own.
     *
     * @param meeting a new file that all ranks see
     */
    static ProcessGroup group(int rank, int ranks, String meeting, String network) {
        ProcessGroupGloo.Options options = ProcessGroupGloo.Options.create();
        options.devices().push_back(ProcessGroupGloo.createDeviceForInterface(network));
        options.threads(THREADS);
        ProcessGroup group = new ProcessGroup(rank, ranks);
        ProcessGroupGloo gloo = new ProcessGroupGloo(new FileStore(meeting, ranks), rank, ranks, options);
        group.setBackend(DeviceType.CPU, ProcessGroup.BackendType.GLOO, new BackendOptional(gloo));
        group.setDefaultBackend(ProcessGroup.BackendType.GLOO);
        return group;
    }

    /** Before the last of a rank's micro-batches; others add to its gradients alone, as within {@code no_sync}. */
    void beforeForward() {
        reducer.prepare_for_forward();
        if (reducer.should_rebuild_buckets()) {
            reducer.rebuild_buckets();
        }
    }

    void beforeBackward() {
        reducer.prepare_for_backward(new TensorVector());
    }

    int rank() {
        return group.getRank();
    }
}
