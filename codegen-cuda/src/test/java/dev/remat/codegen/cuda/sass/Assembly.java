package dev.remat.codegen.cuda.sass;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Machine code put together word by word, with branches as Ampere encodes them. */
public final class Assembly {
    private static final long ALWAYS = 7 << 12;
    private static final long ALWAYS_TAKEN = 7 << 23;
    private static final int STALL = 41;

    private final List<long[]> words = new ArrayList<>();

    /** {@code count} instructions that a warp waits {@code stall} cycles after. */
    public Assembly plain(int count, int code, long stall) {
        for (int i = 0; i < count; i++) {
            words.add(new long[] {code | ALWAYS, stall << STALL});
        }
        return this;
    }

    /** A memory access of 4, 8 or 16 bytes; {@code width} 4, 5 or 6. */
    public Assembly access(int code, int width, int register, long offset) {
        words.add(new long[] {code | ALWAYS | (long) register << 24 | offset << 40, (long) width << 9});
        return this;
    }

    /** A branch to the instruction {@code target}, on the condition P0 or always. */
    public Assembly branch(int target, boolean conditional) {
        long distance = (target - words.size() - 1) * 4L;
        long field = distance & (1L << 48) - 1;
        words.add(
                new long[] {0x947 | (conditional ? 0 : ALWAYS) | field << 34, field >>> 30 | ALWAYS_TAKEN | 1L << STALL
                });
        return this;
    }

    public Assembly exit() {
        return plain(1, 0x94d, 1);
    }

    int size() {
        return words.size();
    }

    ByteBuffer bytes() {
        ByteBuffer bytes = ByteBuffer.allocate(words.size() * Encoding.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        words.forEach(word -> bytes.putLong(word[0]).putLong(word[1]));
        return bytes.rewind();
    }

    List<Instruction> instructions() {
        return Encoding.AMPERE.decode(bytes());
    }

    public ControlFlow flow() {
        return ControlFlow.of(instructions());
    }
}
