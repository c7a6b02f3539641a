package dev.remat.codegen.cuda.sass;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EncodingTest {
    private static List<Instruction> decode(Encoding encoding, long... words) {
        ByteBuffer bytes = ByteBuffer.allocate(words.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            bytes.putLong(word);
        }
        return encoding.decode(bytes.rewind());
    }

    @ParameterizedTest
    @CsvSource({"sm_80,AMPERE", "sm_86,AMPERE", "sm_89,AMPERE", "sm_90a,HOPPER", "sm_100a,HOPPER", "sm_120,HOPPER"})
    void followsTheArchitecture(String architecture, Encoding encoding) {
        assertThat(Encoding.of(architecture)).isEqualTo(encoding);
    }

    /** Every kernel ends with a branch to itself; these are the bytes that the assemblers write. */
    @ParameterizedTest
    @CsvSource({"AMPERE,fffffff000007947", "HOPPER,fffffffc00fc7947"})
    void aBranchToItselfIsUnconditional(Encoding encoding, String word) {
        Instruction branch = decode(encoding, Long.parseUnsignedLong(word, 16), 0x000fc0000383ffffL)
                .getFirst();
        assertThat(branch.opcode()).isEqualTo(Opcode.BRA);
        assertThat(branch.target()).isZero();
        assertThat(branch.conditional()).isFalse();
        assertThat(branch.stall()).isZero();
    }

    /** One conditional branch over two instructions in both encodings. */
    @ParameterizedTest
    @CsvSource({"AMPERE,0000002000000947", "HOPPER,0000000000080947"})
    void aBranchForwardSkips(Encoding encoding, String word) {
        long nop = 0x7918;
        List<Instruction> code =
                decode(encoding, Long.parseUnsignedLong(word, 16), 0x000fea0003800000L, nop, 0, nop, 0, nop, 0);
        assertThat(code.getFirst().target()).isEqualTo(3);
        assertThat(code.getFirst().conditional()).isTrue();
        assertThat(code.getFirst().stall()).isEqualTo(5);
        assertThat(decode(encoding, Long.parseUnsignedLong(word, 16), 0)
                        .getFirst()
                        .target())
                .as("out of the kernel")
                .isEqualTo(Instruction.NOWHERE);
    }

    @Test
    void readsWidthsAndAddresses() {
        List<Instruction> code = new Assembly()
                .access(0x981, 6, 4, 32)
                .access(0x986, 2, 5, -4)
                .access(0x83b, 1, 0, 0)
                .plain(1, 0x23c, 6)
                .plain(1, 0xfff, 15)
                .instructions();
        assertThat(code)
                .extracting(Instruction::opcode)
                .containsExactly(Opcode.LDG, Opcode.STG, Opcode.LDSM, Opcode.HMMA, Opcode.OTHER);
        assertThat(code).extracting(Instruction::bytes).containsExactly(16, 2, 16, 0, 0);
        assertThat(code).extracting(Instruction::stall).containsExactly(0, 0, 0, 6, 15);
        assertThat(code.getFirst().base()).isEqualTo(4);
        assertThat(code.get(1).address()).isEqualTo(-4);
    }
}
