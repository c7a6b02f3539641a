package dev.remat.runtime.cuda;

import static dev.remat.runtime.cuda.CudaDriver.check;
import static org.bytedeco.cuda.global.cudart.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
import static org.bytedeco.cuda.global.cudart.cuGraphDestroy;
import static org.bytedeco.cuda.global.cudart.cuGraphExecDestroy;
import static org.bytedeco.cuda.global.cudart.cuGraphInstantiate;
import static org.bytedeco.cuda.global.cudart.cuGraphLaunch;
import static org.bytedeco.cuda.global.cudart.cuGraphUpload;
import static org.bytedeco.cuda.global.cudart.cuStreamBeginCapture;
import static org.bytedeco.cuda.global.cudart.cuStreamEndCapture;

import org.bytedeco.cuda.cudart.CUgraphExec_st;
import org.bytedeco.cuda.cudart.CUgraph_st;
import org.bytedeco.cuda.cudart.CUstream_st;

/** Launches as a CUDA graph on the GPU, which one call starts. Callers have made the context their own. */
final class CapturedLaunches implements AutoCloseable {
    private final CUgraphExec_st executable = new CUgraphExec_st();
    private final CUstream_st stream;

    private CapturedLaunches(CUstream_st stream) {
        this.stream = stream;
    }

    /**
     * Records what {@code launches} puts into the stream, which does not run it.
     *
     * @throws DeviceException if the driver refuses; whatever is thrown, the stream is as it was
     */
    static CapturedLaunches of(CUstream_st stream, Runnable launches) {
        check(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "no capture can begin");
        CUgraph_st graph = new CUgraph_st();
        try {
            launches.run();
        } catch (RuntimeException | Error e) {
            if (cuStreamEndCapture(stream, graph) == 0 && !graph.isNull()) {
                cuGraphDestroy(graph);
            }
            throw e;
        }
        check(cuStreamEndCapture(stream, graph), "the capture cannot end");
        CapturedLaunches captured = new CapturedLaunches(stream);
        int made = cuGraphInstantiate(captured.executable, graph, 0);
        cuGraphDestroy(graph);
        check(made, "the captured graph cannot be instantiated");
        int uploaded = cuGraphUpload(captured.executable, stream);
        if (uploaded != 0) {
            captured.close();
            check(uploaded, "the captured graph cannot be uploaded");
        }
        return captured;
    }

    /** Puts all of it into the stream; the driver's error, or 0. */
    int launch() {
        return cuGraphLaunch(executable, stream);
    }

    @Override
    public void close() {
        cuGraphExecDestroy(executable);
    }
}
