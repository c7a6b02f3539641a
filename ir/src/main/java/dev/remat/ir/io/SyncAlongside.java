package dev.remat.ir.io;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Has the disk take what a file has received while more is written to it, so that the end waits for less. */
final class SyncAlongside implements AutoCloseable {
    /** What is worth a trip to the disk. */
    private static final long LEAST_BYTES = 1 << 26;

    private static final long PAUSE_MILLIS = 5;

    private final FileChannel channel;
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread;
    private IOException failure;

    private SyncAlongside(FileChannel channel) {
        this.channel = channel;
        this.thread = Thread.ofPlatform().daemon().unstarted(this::run);
    }

    static SyncAlongside of(FileChannel channel) {
        SyncAlongside alongside = new SyncAlongside(channel);
        alongside.thread.start();
        return alongside;
    }

    private void run() {
        try {
            long synced = 0;
            while (!ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                long size = channel.size();
                if (size - synced >= LEAST_BYTES) {
                    channel.force(false);
                    synced = size;
                }
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @throws IOException if the disk has failed, which the system tells once alone */
    @Override
    public void close() throws IOException {
        ended.countDown();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
