package dev.remat.runtime.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.remat.ir.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class ElementConversionTest {
    private static MemorySegment convert(StoredTensor source, DType to) {
        MemorySegment target = Arena.ofAuto().allocate(source.elements() * to.bytes(), 8);
        ElementConversion.copy(source, 0, source.elements(), to, target, 0);
        return target;
    }

    @Test
    void widensBytesToIntegersAndFloats() {
        StoredTensor bytes = Tensors.bytes("b", StoredType.U8, List.of(3L), 0, 127, 255);
        assertThat(convert(bytes, DType.I32).toArray(ValueLayout.JAVA_INT)).containsExactly(0, 127, 255);
        assertThat(convert(bytes, DType.F32).toArray(ValueLayout.JAVA_FLOAT)).containsExactly(0, 127, 255);
        StoredTensor signed = Tensors.bytes("b", StoredType.I8, List.of(1L), 255);
        assertThat(convert(signed, DType.I64).toArray(ValueLayout.JAVA_LONG)).containsExactly(-1);
    }

    @Test
    void narrowsOnlyWhatFits() {
        assertThat(convert(Tensors.longs("l", List.of(2L), -5, Integer.MAX_VALUE), DType.I32)
                        .toArray(ValueLayout.JAVA_INT))
                .containsExactly(-5, Integer.MAX_VALUE);
        assertThatThrownBy(() -> convert(Tensors.longs("l", List.of(2L), 0, 1L << 31), DType.I32))
                .isInstanceOf(DataException.class)
                .hasMessageContaining("element 1 of l")
                .hasMessageContaining("2147483648");
    }

    /** 1 + 2^-8 lies halfway between two bfloat16 values and goes to the even one; 1 + 3 * 2^-8 goes up. */
    @Test
    void roundsToBfloat16NearestEven() {
        StoredTensor floats =
                Tensors.floats("f", List.of(5L), 0x1.01p0f, 0x1.03p0f, -3.0f, Float.NaN, Float.POSITIVE_INFINITY);
        assertThat(convert(floats, DType.BF16).toArray(ValueLayout.JAVA_SHORT))
                .containsExactly((short) 0x3f80, (short) 0x3f82, (short) 0xc040, (short) 0x7fc0, (short) 0x7f80);
    }

    @Test
    void neverReadsFloatsAsIntegers() {
        assertThat(ElementConversion.isAllowed(StoredType.F32, DType.I32)).isFalse();
        assertThat(ElementConversion.isAllowed(StoredType.I64, DType.BOOL)).isFalse();
        assertThat(ElementConversion.isAllowed(StoredType.F64, DType.BF16)).isTrue();
        assertThat(ElementConversion.isAllowed(StoredType.BOOL, DType.BOOL)).isTrue();
    }
}
