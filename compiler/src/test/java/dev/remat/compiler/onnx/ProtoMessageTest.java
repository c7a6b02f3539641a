package dev.remat.compiler.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Against the examples of protocol buffers' published encoding. */
class ProtoMessageTest {
    private static byte[] bytes(ProtoMessage message) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        message.writeTo(piece -> {
            while (piece.hasRemaining()) {
                bytes.write(piece.get());
            }
        });
        assertThat(message.size()).isEqualTo(bytes.size());
        return bytes.toByteArray();
    }

    @Test
    void numbersTextsAndMessages() throws IOException {
        assertThat(bytes(new ProtoMessage().number(1, 150))).containsExactly(0x08, 0x96, 0x01);
        assertThat(bytes(new ProtoMessage().text(2, "testing")))
                .containsExactly(0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6e, 0x67);
        assertThat(bytes(new ProtoMessage().message(3, new ProtoMessage().number(1, 150))))
                .containsExactly(0x1a, 0x03, 0x08, 0x96, 0x01);
        assertThat(bytes(new ProtoMessage().number(1, -2)))
                .containsExactly(0x08, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01);
        assertThat(bytes(new ProtoMessage().real(2, 1))).containsExactly(0x15, 0, 0, 0x80, 0x3f);
    }

    @Test
    void dataComesWhenItIsWritten() throws IOException {
        int[] written = {0};
        ProtoMessage tensor = new ProtoMessage().number(2, 1).data(9, 3, sink -> {
            written[0]++;
            sink.take(ByteBuffer.wrap(new byte[] {7, 8}));
            sink.take(ByteBuffer.wrap(new byte[] {9}));
        });
        ProtoMessage outer = new ProtoMessage().message(5, tensor);
        assertThat(written[0]).isZero();
        assertThat(bytes(outer)).containsExactly(0x2a, 0x07, 0x10, 0x01, 0x4a, 0x03, 7, 8, 9);
    }

    @Test
    void sizesBeyondAnIntegerAreCounted() {
        long large = 1L << 33;
        ProtoMessage message = new ProtoMessage().data(9, large, sink -> {});
        assertThat(message.size()).isEqualTo(large + 1 + 5);
    }
}
