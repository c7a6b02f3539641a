package dev.remat.runtime.cuda;

/** A program that captures launches of which one throws, and then uses the stream. */
public final class CaptureOfWhatThrows {
    private CaptureOfWhatThrows() {}

    public static void main(String[] words) {
        try (GpuContext context = GpuContext.open(CudaDriver.load().gpu(0));
                GpuContext.Current _ = context.use()) {
            try {
                CapturedLaunches.of(context.stream(), () -> {
                    throw new IllegalStateException("no launch");
                });
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
            System.out.println("then " + context.await());
        }
    }
}
