package dev.remat.compiler.memory;

import dev.remat.ir.execution.ByteRange;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Who has touched every byte of a place: the last write, and the last read of each lane since. Earlier accesses ended
 * before that write, or the race would have been told.
 */
final class AccessedBytes {
    /** An access that has not ended for sure when another begins. */
    record Race(int lane, boolean writes) {}

    private record Run(long end, int writer, int written, int[] read) {
        Optional<Race> race(int[] clock, boolean writes) {
            if (written > clock[writer]) {
                return Optional.of(new Race(writer, true));
            }
            for (int lane = 0; writes && lane < read.length; lane++) {
                if (read[lane] > clock[lane]) {
                    return Optional.of(new Race(lane, false));
                }
            }
            return Optional.empty();
        }

        Run until(long other) {
            return new Run(other, writer, written, read);
        }
    }

    private final TreeMap<Long, Run> runs = new TreeMap<>();

    /**
     * @param lane that reads
     * @param clock of the lane: events of each that have ended, of its own the one that reads included
     */
    Optional<Race> read(ByteRange range, int lane, int[] clock) {
        Optional<Race> race = race(range, clock, false);
        if (race.isPresent() || range.bytes() == 0) {
            return race;
        }
        long from = range.offset();
        while (from < range.end()) {
            Run run = runs.get(from);
            long end = run != null ? run.end() : nextRun(from, range.end());
            int[] read = run != null ? run.read().clone() : new int[clock.length];
            read[lane] = clock[lane];
            runs.put(from, run != null ? new Run(end, run.writer(), run.written(), read) : new Run(end, lane, 0, read));
            from = end;
        }
        return race;
    }

    /** @param clock of the lane that writes */
    Optional<Race> write(ByteRange range, int lane, int[] clock) {
        Optional<Race> race = race(range, clock, true);
        if (race.isEmpty() && range.bytes() > 0) {
            runs.subMap(range.offset(), range.end()).clear();
            runs.put(range.offset(), new Run(range.end(), lane, clock[lane], new int[clock.length]));
        }
        return race;
    }

    private Optional<Race> race(ByteRange range, int[] clock, boolean writes) {
        if (range.bytes() == 0) {
            return Optional.empty();
        }
        split(range.offset());
        split(range.end());
        return runs.subMap(range.offset(), range.end()).values().stream()
                .flatMap(run -> run.race(clock, writes).stream())
                .findFirst();
    }

    private long nextRun(long from, long end) {
        Long next = runs.higherKey(from);
        return next == null ? end : Math.min(next, end);
    }

    /** Ends a run at {@code at} and begins another there where one goes across. */
    private void split(long at) {
        Map.Entry<Long, Run> before = runs.lowerEntry(at);
        if (before != null && before.getValue().end() > at) {
            runs.put(at, before.getValue());
            runs.put(before.getKey(), before.getValue().until(at));
        }
    }
}
