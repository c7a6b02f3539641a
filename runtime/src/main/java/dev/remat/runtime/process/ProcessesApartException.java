package dev.remat.runtime.process;

import java.util.List;

/** Processes run on several machines, and nothing says by which network they reach the first. */
public final class ProcessesApartException extends RuntimeException {
    ProcessesApartException(List<String> hosts) {
        super("ranks run on " + String.join(", ", hosts.stream().distinct().toList()));
    }
}
