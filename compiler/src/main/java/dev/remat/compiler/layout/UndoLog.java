package dev.remat.compiler.layout;

import java.util.Arrays;

/** Arrays whose changes can be taken back, the last one first. */
final class UndoLog {
    private final long[][] fields;
    private long[] entries = new long[1 << 12];
    private int recorded;

    /** @param fields the arrays; from now on only to be changed by {@link #set} */
    UndoLog(long[]... fields) {
        this.fields = fields;
    }

    void set(int field, int index, long value) {
        long old = fields[field][index];
        if (old == value) {
            return;
        }
        if (recorded + 2 > entries.length) {
            entries = Arrays.copyOf(entries, 2 * entries.length);
        }
        entries[recorded++] = (long) field << 32 | index;
        entries[recorded++] = old;
        fields[field][index] = value;
    }

    /** What to go back to for the arrays as they are now. */
    int mark() {
        return recorded;
    }

    void undoTo(int mark) {
        while (recorded > mark) {
            long old = entries[--recorded];
            long key = entries[--recorded];
            fields[(int) (key >>> 32)][(int) key] = old;
        }
    }
}
