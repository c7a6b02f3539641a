package dev.remat.cli;

import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Seconds of the parts of a command, by name in their order. */
final class StopWatch {
    private final SequencedMap<String, Double> seconds = new LinkedHashMap<>();
    private long last = System.nanoTime();

    /** Ends a part; the next one begins. */
    void lap(String part) {
        long now = System.nanoTime();
        seconds.put(part, (now - last) / 1e9);
        last = now;
    }

    SequencedMap<String, Double> seconds() {
        return seconds;
    }
}
