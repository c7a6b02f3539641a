package dev.remat.codegen.cuda.sass;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;

/**
 * A cubin: an ELF file of 64 bits, little-endian, in which each kernel has a section {@code .text.SYMBOL}. Every place
 * that the file names is checked before it is read; nothing is decoded until it is asked for.
 */
public final class Cubin {
    private static final int MAGIC = 0x464c457f;
    private static final int HEADER_BYTES = 64;
    private static final int WIDE = 2;
    private static final int LITTLE_ENDIAN = 1;
    private static final int MACHINE_CUDA = 190;
    private static final int PROGRAM_BITS = 1;
    private static final String CODE = ".text.";

    private final ByteBuffer file;
    private final Map<String, ByteBuffer> code = new LinkedHashMap<>();

    private Cubin(ByteBuffer file) {
        this.file = file;
    }

    /**
     * Finds the kernels of {@code bytes}, from 0 to the limit.
     *
     * @throws CorruptCubinException if it is no cubin, or names bytes that it does not have
     */
    public static Cubin of(ByteBuffer bytes) {
        Cubin cubin = new Cubin(bytes.duplicate().rewind().slice().order(ByteOrder.LITTLE_ENDIAN));
        cubin.readSections();
        return cubin;
    }

    private void readSections() {
        if (file.limit() < HEADER_BYTES
                || file.getInt(0) != MAGIC
                || file.get(4) != WIDE
                || file.get(5) != LITTLE_ENDIAN
                || file.getShort(18) != MACHINE_CUDA) {
            throw new CorruptCubinException("is no ELF file of 64 bits for CUDA");
        }
        int entryBytes = Short.toUnsignedInt(file.getShort(58));
        int count = Short.toUnsignedInt(file.getShort(60));
        int names = Short.toUnsignedInt(file.getShort(62));
        if (entryBytes < HEADER_BYTES || names >= count) {
            throw new CorruptCubinException("has no table of sections");
        }
        ByteBuffer table = slice(file.getLong(40), (long) entryBytes * count, "its table of sections");
        ByteBuffer strings = section(table, names * entryBytes, "the names of its sections");
        for (int i = 0; i < count; i++) {
            if (table.getInt(i * entryBytes + 4) != PROGRAM_BITS) {
                continue;
            }
            String name = text(strings, Integer.toUnsignedLong(table.getInt(i * entryBytes)));
            if (name.startsWith(CODE)) {
                String symbol = name.substring(CODE.length());
                if (code.put(symbol, section(table, i * entryBytes, name)) != null) {
                    throw new CorruptCubinException("has two sections " + name);
                }
            }
        }
    }

    private ByteBuffer section(ByteBuffer table, int entry, String what) {
        return slice(table.getLong(entry + 24), table.getLong(entry + 32), what);
    }

    private ByteBuffer slice(long from, long bytes, String what) {
        if (from < 0 || bytes < 0 || bytes > file.limit() || from > file.limit() - bytes) {
            throw new CorruptCubinException("ends before " + what);
        }
        return file.slice((int) from, (int) bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static String text(ByteBuffer strings, long from) {
        long end = from;
        while (end < strings.limit() && strings.get((int) end) != 0) {
            end++;
        }
        if (end >= strings.limit()) {
            throw new CorruptCubinException("has a section without a name");
        }
        byte[] name = new byte[(int) (end - from)];
        strings.get((int) from, name);
        return new String(name, StandardCharsets.UTF_8);
    }

    /** Names of the kernels, in the file's order. */
    public SequencedSet<String> symbols() {
        return new LinkedHashSet<>(code.keySet());
    }

    /**
     * The instructions of one kernel.
     *
     * @throws CorruptCubinException if it is not there, or is no whole number of instructions
     */
    public List<Instruction> kernel(String symbol, Encoding encoding) {
        ByteBuffer text = code.get(symbol);
        if (text == null) {
            throw new CorruptCubinException("has no kernel " + symbol);
        }
        if (text.limit() == 0 || text.limit() % Encoding.BYTES != 0) {
            throw new CorruptCubinException("has " + text.limit() + " bytes of code for " + symbol
                    + ", which is no whole number of instructions");
        }
        return encoding.decode(text);
    }
}
