package dev.remat.codegen.cuda.nvrtc;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the symbol table of a 64-bit little-endian ELF file (System V ABI, 2013, chapter 4). */
final class ElfSymbols {
    private static final int SYMBOL_TABLE = 2;
    private static final int SYMBOL_BYTES = 24;
    private static final int GLOBAL_FUNCTION = 0x12;

    private ElfSymbols() {}

    /** Names of global functions, sorted. */
    static List<String> globalFunctions(ByteBuffer file) {
        ByteBuffer elf = file.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (elf.getInt(0) != 0x464C457F || elf.get(4) != 2) {
            throw new IllegalArgumentException("no 64-bit ELF file");
        }
        long headers = elf.getLong(0x28);
        int headerBytes = elf.getShort(0x3A);
        List<String> names = new ArrayList<>();
        for (int i = 0; i < elf.getShort(0x3C); i++) {
            int header = (int) headers + i * headerBytes;
            if (elf.getInt(header + 4) == SYMBOL_TABLE) {
                int strings = (int) elf.getLong((int) headers + elf.getInt(header + 0x28) * headerBytes + 0x18);
                int from = (int) elf.getLong(header + 0x18);
                int end = from + (int) elf.getLong(header + 0x20);
                for (int symbol = from; symbol < end; symbol += SYMBOL_BYTES) {
                    if (elf.get(symbol + 4) == GLOBAL_FUNCTION) {
                        names.add(string(elf, strings + elf.getInt(symbol)));
                    }
                }
            }
        }
        return names.stream().sorted().toList();
    }

    private static String string(ByteBuffer elf, int from) {
        int end = from;
        while (elf.get(end) != 0) {
            end++;
        }
        return StandardCharsets.US_ASCII.decode(elf.slice(from, end - from)).toString();
    }
}
