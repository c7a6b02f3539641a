package dev.remat.runtime.process;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.HexFormat;
import java.util.function.Consumer;

/**
 * Listens to ranks of this machine that this process has started, and so sees which of them is gone first, even where
 * what starts them ends the others before they can say so.
 */
public final class Witness implements AutoCloseable {
    private final ControlServer server;

    /**
     * Listens.
     *
     * @param grid of the processes that this one starts
     * @param silence after which a rank is lost
     * @param told of the first rank that stops or is lost
     * @param stalled told where ranks stand when none has ended a step for a minute
     */
    public Witness(ProcessGrid grid, Duration silence, Consumer<Stop> told, Consumer<String> stalled)
            throws IOException {
        this.server = new ControlServer(
                InetAddress.getLoopbackAddress(),
                0,
                grid,
                Collections.nCopies(grid.processes(), ProcessGroup.hostName()),
                Meeting.newToken(),
                ControlServer.Patience.ofStart(silence),
                new Control.Listener() {
                    @Override
                    public void stopped(Stop why) {
                        told.accept(why);
                    }

                    @Override
                    public void stalled(String where) {
                        stalled.accept(where);
                    }
                });
    }

    /** What ranks need to know to be listened to, which nobody else should. */
    public String meeting() {
        return HexFormat.of().formatHex(server.meeting().toBytes());
    }

    /** Whether a rank listens to this one and is listened to; before that its end is not seen here. */
    public boolean knows(int rank) {
        return server.knows(rank);
    }

    /** Returns when all that is to be told has been, once all ranks are gone. */
    public void awaitEnd() {
        server.awaitEnd();
    }

    @Override
    public void close() {
        server.leave();
        server.close();
    }
}
