package dev.remat.codegen.cuda.sass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CubinTest {
    private static final int SECTION_BYTES = 64;

    /** An ELF file with sections of code by name, and one of names. */
    private static byte[] elf(Object... namesAndCode) {
        StringBuilder names = new StringBuilder("\0");
        int sections = namesAndCode.length / 2;
        ByteBuffer file = ByteBuffer.allocate(1 << 14).order(ByteOrder.LITTLE_ENDIAN);
        ByteBuffer table = ByteBuffer.allocate((sections + 1) * SECTION_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.position(SECTION_BYTES);
        for (int i = 0; i < sections; i++) {
            byte[] code = ((ByteBuffer) namesAndCode[2 * i + 1]).array();
            section(table, i, names.length(), 1, file.position(), code.length);
            names.append(namesAndCode[2 * i]).append('\0');
            file.put(code);
        }
        byte[] text = names.toString().getBytes(StandardCharsets.US_ASCII);
        section(table, sections, 0, 3, file.position(), text.length);
        file.put(text);
        int tableAt = file.position();
        file.put(table.array());
        byte[] bytes = new byte[file.position()];
        file.putInt(0, 0x464c457f).put(4, (byte) 2).put(5, (byte) 1).putShort(16, (short) 2);
        file.putShort(18, (short) 190).putLong(40, tableAt).putShort(58, (short) SECTION_BYTES);
        file.putShort(60, (short) (sections + 1)).putShort(62, (short) sections);
        file.get(0, bytes);
        return bytes;
    }

    private static void section(ByteBuffer table, int index, int name, int type, long from, long bytes) {
        int at = index * SECTION_BYTES;
        table.putInt(at, name).putInt(at + 4, type).putLong(at + 24, from).putLong(at + 32, bytes);
    }

    private static byte[] two() {
        return elf(
                ".text.first",
                new Assembly().plain(3, 0x23c, 6).exit().bytes(),
                ".debug",
                ByteBuffer.allocate(5),
                ".text.second",
                new Assembly().plain(1, 0x918, 1).branch(0, true).exit().bytes());
    }

    @Test
    void kernelsAreFoundByName() {
        Cubin cubin = Cubin.of(ByteBuffer.wrap(two()));
        assertThat(cubin.symbols()).containsExactly("first", "second");
        assertThat(cubin.kernel("first", Encoding.AMPERE))
                .extracting(Instruction::opcode)
                .containsExactly(Opcode.HMMA, Opcode.HMMA, Opcode.HMMA, Opcode.EXIT);
        assertThatThrownBy(() -> cubin.kernel("third", Encoding.AMPERE))
                .isInstanceOf(CorruptCubinException.class)
                .hasMessage("has no kernel third");
    }

    @Test
    void whatIsNoCubinIsRefused() {
        for (byte[] bytes : new byte[][] {{}, "no ELF file at all".getBytes(StandardCharsets.US_ASCII), new byte[64]}) {
            assertThatThrownBy(() -> Cubin.of(ByteBuffer.wrap(bytes)))
                    .isInstanceOf(CorruptCubinException.class)
                    .hasMessageContaining("no ELF file");
        }
    }

    @Test
    void kernelsAreThereOnceAndOfWholeInstructions() {
        ByteBuffer code = new Assembly().exit().bytes();
        assertThatThrownBy(() -> Cubin.of(ByteBuffer.wrap(elf(".text.a", code, ".text.a", code))))
                .hasMessage("has two sections .text.a");
        Cubin odd = Cubin.of(ByteBuffer.wrap(elf(".text.a", ByteBuffer.allocate(24), ".text.b", code)));
        assertThat(odd.kernel("b", Encoding.HOPPER)).hasSize(1);
        assertThatThrownBy(() -> odd.kernel("a", Encoding.HOPPER)).hasMessageContaining("no whole number");
    }

    /** Whatever is cut off or changed: either the kernels can be read, or there is a message. */
    @Test
    void damageIsFoundOrHarmless() {
        byte[] whole = two();
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < 4_000; i++) {
            byte[] changed = whole.clone();
            for (int n = random.nextInt(1, 6); n > 0; n--) {
                int from = random.nextInt(3) > 0 ? 0 : random.nextInt(changed.length);
                changed[Math.min(changed.length - 1, from + random.nextInt(64))] = (byte) random.nextInt();
            }
            int length = random.nextInt(4) > 0 ? changed.length : random.nextInt(changed.length);
            try {
                Cubin cubin = Cubin.of(ByteBuffer.wrap(changed, 0, length).slice());
                for (String symbol : cubin.symbols()) {
                    ControlFlow flow = ControlFlow.of(cubin.kernel(symbol, Encoding.HOPPER));
                    assertThat(ExecutedPath.longest(flow, _ -> 2).instructions())
                            .isPositive();
                }
            } catch (CorruptCubinException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 3_990);
    }
}
