package dev.remat.codegen.cuda.predict;

import dev.remat.codegen.cuda.sass.Instruction;
import dev.remat.codegen.cuda.sass.Opcode;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * By how many stores threads write the pieces of 32 bytes that memory consists of. Where a thread writes neighbouring
 * bytes by several instructions, each of them touches all the pieces that the warp's threads write.
 */
final class StoredPieces {
    private static final int PIECE_BYTES = 32;

    /** By base register, ends of stores by their beginnings. */
    private final Map<Integer, SequencedMap<Long, Long>> open = new TreeMap<>();

    private double bytes;
    private double touched;

    private StoredPieces() {}

    /** Stores a piece, on average over the bytes that {@code code} stores. */
    static double stores(List<Instruction> code) {
        StoredPieces pieces = new StoredPieces();
        for (Instruction instruction : code) {
            if (instruction.opcode() == Opcode.STG) {
                pieces.store(instruction.base(), instruction.address(), instruction.bytes());
            }
        }
        pieces.open.values().forEach(pieces::close);
        return pieces.bytes == 0 ? 1 : pieces.touched / pieces.bytes;
    }

    /** A second store to the same place means that the register has another value by now. */
    private void store(int base, long from, int length) {
        SequencedMap<Long, Long> stores = open.computeIfAbsent(base, _ -> new TreeMap<>());
        if (stores.containsKey(from)) {
            close(stores);
            stores.clear();
        }
        stores.put(from, from + length);
    }

    private void close(SequencedMap<Long, Long> stores) {
        long begin = 0;
        long end = 0;
        int side = 0;
        for (Map.Entry<Long, Long> store : stores.entrySet()) {
            if (side > 0 && store.getKey() != end) {
                add(end - begin, side);
                side = 0;
            }
            begin = side == 0 ? store.getKey() : begin;
            end = store.getValue();
            side++;
        }
        add(end - begin, side);
    }

    private void add(long length, int stores) {
        bytes += length;
        touched += (double) length * stores / Math.max(1, Math.ceilDiv(length, PIECE_BYTES));
    }
}
