package dev.remat.tests.gpu;

import java.time.Duration;
import java.time.Instant;

/** When a proof has to be over; what would not be done by then is left out, which its report tells. */
final class Deadline {
    private final Instant end;

    private Deadline(Instant end) {
        this.end = end;
    }

    static Deadline in(Duration time) {
        return new Deadline(Instant.now().plus(time));
    }

    /** What is left, not less than nothing. */
    Duration left() {
        Duration left = Duration.between(Instant.now(), end);
        return left.isNegative() ? Duration.ZERO : left;
    }

    boolean hasLeft(Duration time) {
        return left().compareTo(time) >= 0;
    }
}
