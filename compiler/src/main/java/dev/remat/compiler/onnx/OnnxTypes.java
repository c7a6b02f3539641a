package dev.remat.compiler.onnx;

import dev.remat.ir.DType;
import dev.remat.ir.Dim;
import dev.remat.ir.TensorType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Types and small tensors as ONNX writes them. */
final class OnnxTypes {
    private OnnxTypes() {}

    /** The number of {@code TensorProto.DataType}. */
    static int number(DType dtype) {
        return switch (dtype) {
            case F32 -> 1;
            case I32 -> 6;
            case I64 -> 7;
            case BOOL -> 9;
            case F16 -> 10;
            case F64 -> 11;
            case BF16 -> 16;
            case BIT, SEED -> throw new IllegalArgumentException("no tensor of a model is of " + dtype);
        };
    }

    /** A {@code ValueInfoProto}; extents that are no numbers get their formula as a name. */
    static ProtoMessage valueInfo(String name, TensorType type) {
        ProtoMessage shape = new ProtoMessage();
        for (Dim dim : type.shape().dims()) {
            shape.message(
                    1,
                    dim.isConstant()
                            ? new ProtoMessage().number(1, dim.value())
                            : new ProtoMessage().text(2, dim.toString()));
        }
        ProtoMessage tensor = new ProtoMessage().number(1, number(type.dtype())).message(2, shape);
        return new ProtoMessage().text(1, name).message(2, new ProtoMessage().message(1, tensor));
    }

    /** A {@code TensorProto} with its bytes, {@code raw}, inside. */
    static ProtoMessage tensor(String name, DType dtype, List<Long> shape, byte[] raw) {
        return tensorHead(name, dtype, shape).bytes(9, raw);
    }

    static ProtoMessage tensor(OnnxWeight weight) {
        ProtoMessage tensor = tensorHead(weight.name(), weight.dtype(), weight.shape());
        return switch (weight.source()) {
            case OnnxWeight.Inside(ProtoMessage.Data data) -> tensor.data(9, weight.byteSize(), data);
            case OnnxWeight.Outside(String location, long offset) ->
                tensor.message(13, entry("location", location))
                        .message(13, entry("offset", Long.toString(offset)))
                        .message(13, entry("length", Long.toString(weight.byteSize())))
                        .number(14, 1);
        };
    }

    private static ProtoMessage tensorHead(String name, DType dtype, List<Long> shape) {
        ProtoMessage tensor = new ProtoMessage();
        shape.forEach(extent -> tensor.number(1, extent));
        return tensor.number(2, number(dtype)).text(8, name);
    }

    /** A {@code StringStringEntryProto}. */
    static ProtoMessage entry(String key, String value) {
        return new ProtoMessage().text(1, key).text(2, value);
    }

    /** Numbers as bytes, each rounded to a float type or the equal integer. */
    static byte[] raw(DType dtype, double[] values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * dtype.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        for (double value : values) {
            switch (dtype) {
                case F64 -> bytes.putDouble(value);
                case F32 -> bytes.putFloat((float) value);
                case F16 -> bytes.putShort(Float.floatToFloat16((float) value));
                case BF16 -> bytes.putShort(bfloat((float) value));
                case I64 -> bytes.putLong((long) value);
                case I32 -> bytes.putInt((int) value);
                case BOOL -> bytes.put((byte) (value == 0 ? 0 : 1));
                case BIT, SEED -> throw new IllegalArgumentException("no tensor of a model is of " + dtype);
            }
        }
        return bytes.array();
    }

    /** The number that an element of {@code dtype} is, shortest. */
    static String text(DType dtype, double value) {
        return switch (dtype) {
            case F64 -> Double.toString(value);
            case F32 -> Float.toString((float) value);
            case F16 -> Float.toString(Float.float16ToFloat(Float.floatToFloat16((float) value)));
            case BF16 -> Float.toString(Float.intBitsToFloat(bfloat((float) value) << 16));
            case I64, I32, BOOL, BIT, SEED -> Long.toString((long) value);
        };
    }

    /** Rounds to nearest even; NaN stays NaN. */
    private static short bfloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? bits >>> 16 | 0x40 : bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }
}
