package dev.remat.compiler.memory;

import dev.remat.ir.execution.ByteRange;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Which tensor every byte of an arena holds: maximal runs of one tag, disjoint, by first byte. */
final class TaggedBytes {
    private record Run(long end, int tag) {}

    private final TreeMap<Long, Run> runs = new TreeMap<>();

    /** Makes the bytes hold {@code tag} and nothing else. */
    void tag(ByteRange range, int tag) {
        erase(range);
        if (range.bytes() > 0) {
            runs.put(range.offset(), new Run(range.end(), tag));
        }
    }

    /** Makes the bytes hold nothing. */
    void erase(ByteRange range) {
        if (range.bytes() == 0) {
            return;
        }
        split(range.offset());
        split(range.end());
        runs.subMap(range.offset(), range.end()).clear();
    }

    /** Ends a run at {@code at} and begins another there where one goes across. */
    private void split(long at) {
        Map.Entry<Long, Run> before = runs.lowerEntry(at);
        if (before != null && before.getValue().end() > at) {
            runs.put(at, before.getValue());
            runs.put(before.getKey(), new Run(at, before.getValue().tag()));
        }
    }

    /** Whether all of the bytes hold {@code tag}; nothing is asked of an empty range. */
    boolean hold(ByteRange range, int tag) {
        long checked = range.offset();
        while (checked < range.end()) {
            Map.Entry<Long, Run> run = runs.floorEntry(checked);
            if (run == null || run.getValue().end() <= checked || run.getValue().tag() != tag) {
                return false;
            }
            checked = run.getValue().end();
        }
        return true;
    }

    /** A tag in the range other than {@code tag}, where there is one. */
    OptionalInt intruder(ByteRange range, int tag) {
        Long first = runs.floorKey(range.offset());
        for (Run run :
                runs.subMap(first == null ? range.offset() : first, range.end()).values()) {
            if (run.end() > range.offset() && run.tag() != tag) {
                return OptionalInt.of(run.tag());
            }
        }
        return OptionalInt.empty();
    }
}
