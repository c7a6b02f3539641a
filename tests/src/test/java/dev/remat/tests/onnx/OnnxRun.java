package dev.remat.tests.onnx;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.TensorInfo;
import dev.remat.compiler.onnx.ProtoMessage;
import dev.remat.ir.DType;
import dev.remat.runtime.io.ElementConversion;
import dev.remat.runtime.io.StoredTensor;
import dev.remat.runtime.io.StoredType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs models in ONNX Runtime, as they are: without its optimizations. */
final class OnnxRun {
    private OnnxRun() {}

    static byte[] bytes(ProtoMessage model) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        model.writeTo(piece -> {
            while (piece.hasRemaining()) {
                bytes.write(piece.get());
            }
        });
        return bytes.toByteArray();
    }

    private static SessionOptions options() throws OrtException {
        SessionOptions options = new SessionOptions();
        options.setOptimizationLevel(SessionOptions.OptLevel.NO_OPT);
        options.setIntraOpNumThreads(1);
        options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
        return options;
    }

    /**
     * Outputs by name.
     *
     * @param known tensors by name, among them all inputs
     */
    static Map<String, StoredTensor> run(byte[] model, Map<String, StoredTensor> known) throws OrtException {
        try (SessionOptions options = options();
                OrtSession session = OrtEnvironment.getEnvironment().createSession(model, options)) {
            return run(session, known);
        }
    }

    /** The same of a file. */
    static Map<String, StoredTensor> run(String file, Map<String, StoredTensor> known) throws OrtException {
        try (SessionOptions options = options();
                OrtSession session = OrtEnvironment.getEnvironment().createSession(file, options)) {
            return run(session, known);
        }
    }

    private static Map<String, StoredTensor> run(OrtSession session, Map<String, StoredTensor> known)
            throws OrtException {
        Map<String, OnnxTensor> inputs = new LinkedHashMap<>();
        for (String name : session.getInputNames()) {
            TensorInfo wanted = (TensorInfo) session.getInputInfo().get(name).getInfo();
            StoredTensor given = known.get(name);
            DType dtype = type(wanted.type).dtype().orElseThrow();
            inputs.put(name, tensor(ElementConversion.convert(given, name, dtype, Arena.ofAuto())));
        }
        Map<String, StoredTensor> outputs = new LinkedHashMap<>();
        try (OrtSession.Result result = session.run(inputs)) {
            for (var output : result) {
                outputs.put(output.getKey(), stored(output.getKey(), (OnnxTensor) output.getValue()));
            }
        } finally {
            inputs.values().forEach(OnnxTensor::close);
        }
        return outputs;
    }

    private static OnnxTensor tensor(StoredTensor tensor) throws OrtException {
        ByteBuffer bytes = ByteBuffer.allocateDirect((int) tensor.byteSize()).order(ByteOrder.nativeOrder());
        bytes.put(tensor.data().asByteBuffer()).flip();
        long[] shape = tensor.shape().stream().mapToLong(Long::longValue).toArray();
        return OnnxTensor.createTensor(
                OrtEnvironment.getEnvironment(),
                bytes,
                shape,
                switch (tensor.type()) {
                    case F32 -> OnnxJavaType.FLOAT;
                    case F64 -> OnnxJavaType.DOUBLE;
                    case I32 -> OnnxJavaType.INT32;
                    case I64 -> OnnxJavaType.INT64;
                    case BOOL -> OnnxJavaType.BOOL;
                    case BF16 -> OnnxJavaType.BFLOAT16;
                    case F16 -> OnnxJavaType.FLOAT16;
                    default -> throw new IllegalArgumentException("no input of tests is of " + tensor.type());
                });
    }

    private static StoredTensor stored(String name, OnnxTensor tensor) {
        List<Long> shape = new ArrayList<>(
                Arrays.stream(tensor.getInfo().getShape()).boxed().toList());
        ByteBuffer bytes = tensor.getByteBuffer();
        MemorySegment copy = Arena.ofAuto().allocate(Math.max(bytes.remaining(), 1), Long.BYTES);
        copy = copy.asSlice(0, bytes.remaining()).copyFrom(MemorySegment.ofBuffer(bytes));
        return new StoredTensor(name, type(tensor.getInfo().type), shape, copy);
    }

    private static StoredType type(OnnxJavaType type) {
        return switch (type) {
            case FLOAT -> StoredType.F32;
            case DOUBLE -> StoredType.F64;
            case INT32 -> StoredType.I32;
            case INT64 -> StoredType.I64;
            case BOOL -> StoredType.BOOL;
            case BFLOAT16 -> StoredType.BF16;
            case FLOAT16 -> StoredType.F16;
            default -> throw new IllegalArgumentException("no output of tests is of " + type);
        };
    }

    /** Largest difference of two tensors, as a part of the largest number in the second one. */
    static double distance(StoredTensor actual, StoredTensor expected) {
        if (!actual.shape().equals(expected.shape()) || actual.type() != expected.type()) {
            throw new AssertionError(actual.name() + " is " + actual.type() + actual.shape() + ", not "
                    + expected.type() + expected.shape());
        }
        if (expected.type() != StoredType.F32) {
            return actual.data().mismatch(expected.data()) < 0 ? 0 : 1;
        }
        float[] a = actual.data().toArray(ValueLayout.JAVA_FLOAT);
        float[] b = expected.data().toArray(ValueLayout.JAVA_FLOAT);
        double difference = 0;
        double size = Float.MIN_NORMAL;
        for (int i = 0; i < a.length; i++) {
            if (Float.floatToIntBits(a[i]) != Float.floatToIntBits(b[i])) {
                double apart = Math.abs((double) a[i] - b[i]);
                difference = Double.isNaN(apart) ? Double.POSITIVE_INFINITY : Math.max(difference, apart);
            }
            size = Float.isFinite(b[i]) ? Math.max(size, Math.abs(b[i])) : size;
        }
        return difference / size;
    }
}
