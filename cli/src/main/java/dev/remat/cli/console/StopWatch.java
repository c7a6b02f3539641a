package dev.remat.cli.console;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Seconds of the parts of a command, by name in their order. */
public final class StopWatch {
    private final SequencedMap<String, Double> seconds = new LinkedHashMap<>();
    private long last = System.nanoTime();

    /** Ends a part; the next one begins. */
    public void lap(String part) {
        long now = System.nanoTime();
        seconds.put(part, (now - last) / 1e9);
        last = now;
    }

    public SequencedMap<String, Double> seconds() {
        return seconds;
    }
}
