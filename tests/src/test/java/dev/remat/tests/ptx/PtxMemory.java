package dev.remat.tests.ptx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.SequencedMap;
import java.util.TreeMap;

/** One space of memory, little-endian, its accesses aligned and within. */
public final class PtxMemory {
    private final String name;
    private final MemorySegment bytes;
    private final long first;
    private final boolean isAside;
    private final SequencedMap<Long, Byte> written = new TreeMap<>();

    private PtxMemory(String name, MemorySegment bytes, long first, boolean isAside) {
        this.name = name;
        this.bytes = bytes;
        this.first = first;
        this.isAside = isAside;
    }

    /** @param first address of the first byte */
    static PtxMemory inPlace(String name, MemorySegment bytes, long first) {
        return new PtxMemory(name, bytes, first, false);
    }

    /**
     * What is written is kept beside the bytes.
     *
     * @param first address of the first byte
     */
    static PtxMemory aside(String name, MemorySegment bytes, long first) {
        return new PtxMemory(name, bytes, first, true);
    }

    /** Bytes that were kept aside, by offset. */
    public SequencedMap<Long, Byte> written() {
        return Collections.unmodifiableSequencedMap(written);
    }

    /** Offset of a place, which must hold so many bytes and be a multiple of them. */
    long at(long address, long size) {
        long offset = address - first;
        if (offset < 0 || offset + size > bytes.byteSize()) {
            throw new PtxException("%s byte %d of %d".formatted(name, offset, bytes.byteSize()));
        }
        if (address % size != 0) {
            throw new PtxException("%s byte %d is not aligned to %d".formatted(name, offset, size));
        }
        return offset;
    }

    long load(long offset, int size) {
        long value = 0;
        for (int i = size - 1; i >= 0; i--) {
            Byte aside = written.isEmpty() ? null : written.get(offset + i);
            byte own = aside != null ? aside : bytes.get(ValueLayout.JAVA_BYTE, offset + i);
            value = value << 8 | Byte.toUnsignedLong(own);
        }
        return value;
    }

    void store(long offset, int size, long value) {
        for (int i = 0; i < size; i++) {
            byte own = (byte) (value >> 8 * i);
            if (isAside) {
                written.put(offset + i, own);
            } else {
                bytes.set(ValueLayout.JAVA_BYTE, offset + i, own);
            }
        }
    }
}
