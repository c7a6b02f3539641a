package dev.remat.compiler.layout;

import java.util.Arrays;

/** Arrays whose changes can be taken back, the last one first. */
final class UndoLog {
    /** Takes back what follows from a value. */
    interface Consequences {
        /** Told when the value of a field is what it was before. */
        void takeBack(int field, int index);
    }

    private final long[][] fields;
    private final Consequences consequences;
    private long[] entries = new long[1 << 12];
    private int recorded;

    /** @param fields the arrays; from now on only to be changed by {@link #set}, or as a consequence of it */
    UndoLog(Consequences consequences, long[]... fields) {
        this.consequences = consequences;
        this.fields = fields;
    }

    /** Changes a value; whether it was another one before. */
    boolean set(int field, int index, long value) {
        long old = fields[field][index];
        if (old == value) {
            return false;
        }
        if (recorded + 2 > entries.length) {
            entries = Arrays.copyOf(entries, 2 * entries.length);
        }
        entries[recorded++] = (long) field << 32 | index;
        entries[recorded++] = old;
        fields[field][index] = value;
        return true;
    }

    /** What to go back to for the arrays as they are now. */
    int mark() {
        return recorded;
    }

    void undoTo(int mark) {
        while (recorded > mark) {
            long old = entries[--recorded];
            long key = entries[--recorded];
            int field = (int) (key >>> 32);
            fields[field][(int) key] = old;
            consequences.takeBack(field, (int) key);
        }
    }
}
