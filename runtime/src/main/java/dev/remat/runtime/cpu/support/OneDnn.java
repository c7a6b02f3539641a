package dev.remat.runtime.cpu.support;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.remat.ir.natives.NativeCall;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * What we call of oneDNN's C interface; numbers are those of {@code dnnl_types.h}. Objects are addresses. Each call
 * runs on the calling thread alone.
 */
public final class OneDnn {
    /** Data in plain row-major order, by rank. */
    public static final int PLAIN_4D = 5;

    public static final int PLAIN_5D = 6;
    /** Whatever order the primitive likes best. */
    public static final int ANY_ORDER = 1;

    public static final int ARG_SRC = 1;
    public static final int ARG_DST = 17;
    public static final int ARG_WEIGHTS = 33;
    public static final int ARG_SCRATCHPAD = 80;
    public static final int ARG_DIFF_SRC = 129;
    public static final int ARG_DIFF_DST = 145;
    public static final int ARG_DIFF_WEIGHTS = 161;

    public static final int QUERY_IMPLEMENTATION = 8;
    public static final int QUERY_SRC = 129;
    public static final int QUERY_DIFF_SRC = 130;
    public static final int QUERY_WEIGHTS = 131;
    public static final int QUERY_DIFF_WEIGHTS = 132;
    public static final int QUERY_DST = 133;
    public static final int QUERY_DIFF_DST = 134;
    public static final int QUERY_SCRATCHPAD = 136;

    private static final int F32 = 3;
    private static final int TYPE_OF_RESULT = 0;
    private static final int STRICT = 0;
    private static final int ARGUMENT_BYTES = 16;
    private static final int CPU = 1;
    private static final int IN_ORDER = 1;
    private static final int FORWARD_TRAINING = 64;
    private static final int DIRECT = 1;
    private static final int USER_SCRATCHPAD = 1;
    private static final int MOST_DIMS = 12;

    private static final SymbolLookup LIBRARY = CpuLibraries.ONEDNN.load().symbols();

    private static final MethodHandle SET_THREADS = Linker.nativeLinker()
            .downcallHandle(LIBRARY.find("omp_set_num_threads").orElseThrow(), FunctionDescriptor.ofVoid(JAVA_INT));
    private static final MethodHandle EXECUTE = link("dnnl_primitive_execute", "ppip");
    private static final MethodHandle SET_HANDLE = link("dnnl_memory_set_data_handle", "pp");
    private static final MethodHandle QUERY_MD = Linker.nativeLinker()
            .downcallHandle(
                    LIBRARY.find("dnnl_primitive_desc_query_md").orElseThrow(),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle SIZE = Linker.nativeLinker()
            .downcallHandle(
                    LIBRARY.find("dnnl_memory_desc_get_size").orElseThrow(),
                    FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle EQUAL = link("dnnl_memory_desc_equal", "pp");

    private static final long ENGINE = engine();
    private static final long ATTRIBUTES = attributes();
    private static final long ADDING = adding();

    private OneDnn() {}

    /** Keeps oneDNN on the calling thread; the setting is that thread's own. */
    public static void stayOnThisThread() {
        NativeCall.of(() -> {
            SET_THREADS.invokeExact(1);
            return null;
        });
    }

    /** The instructions that oneDNN's kernels use here; rounding depends on them. */
    public static String instructionSet() {
        MethodHandle isa = Linker.nativeLinker()
                .downcallHandle(
                        LIBRARY.find("dnnl_get_effective_cpu_isa").orElseThrow(), FunctionDescriptor.of(JAVA_INT));
        int found = NativeCall.of(() -> (int) isa.invokeExact());
        return switch (found) {
            case 0x1 -> "sse41";
            case 0x3 -> "avx";
            case 0x7 -> "avx2";
            case 0xf -> "avx2_vnni";
            case 0x1f -> "avx2_vnni_2";
            case 0x27 -> "avx512_core";
            case 0x67 -> "avx512_core_vnni";
            case 0xe7 -> "avx512_core_bf16";
            case 0x1ef -> "avx512_core_fp16";
            case 0xfef -> "avx512_core_amx";
            case 0x1fef -> "avx512_core_amx_fp16";
            default -> "isa 0x" + Integer.toHexString(found);
        };
    }

    public static long newStream() {
        return create("dnnl_stream_create", "pi", ENGINE, IN_ORDER);
    }

    /** Description of an f32 tensor in the given order. */
    public static long describe(int order, long... dims) {
        try (Arena arena = Arena.ofConfined()) {
            return create("dnnl_memory_desc_create_with_tag", "ipii", dims.length, dims(arena, dims), F32, order);
        }
    }

    /** Description of an f32 matrix whose elements lie so far from each other, by row and by column. */
    static long describeMatrix(long rows, long columns, long rowStride, long columnStride) {
        try (Arena arena = Arena.ofConfined()) {
            long strides = dims(arena, rowStride, columnStride);
            return create("dnnl_memory_desc_create_with_strides", "ipip", 2, dims(arena, rows, columns), F32, strides);
        }
    }

    public static long sizeOf(long description) {
        return NativeCall.of(() -> (long) SIZE.invokeExact(description));
    }

    public static boolean equal(long a, long b) {
        return NativeCall.of(() -> (int) EQUAL.invokeExact(a, b)) != 0;
    }

    /** Part of a primitive's description, valid as long as that. */
    public static long query(long primitive, int what) {
        return NativeCall.of(() -> (long) QUERY_MD.invokeExact(primitive, what, 0));
    }

    /** Name of the implementation that was chosen. */
    public static String implementation(long primitive) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(JAVA_LONG);
            check(
                    "dnnl_primitive_desc_query",
                    invoke("dnnl_primitive_desc_query", "piip", primitive, QUERY_IMPLEMENTATION, 0, name.address()));
            return MemorySegment.ofAddress(name.get(JAVA_LONG, 0))
                    .reinterpret(1024)
                    .getString(0);
        }
    }

    /** How a convolution walks, for two dimensions. */
    public record Walk(long[] strides, long[] dilations, long[] paddingLow, long[] paddingHigh) {}

    public static long forward(long src, long weights, long dst, Walk walk) {
        Object[] tensors = {ENGINE, FORWARD_TRAINING, DIRECT, src, weights, 0L, dst};
        return convolution("forward", "piippppppppp", tensors, walk, ATTRIBUTES);
    }

    public static long backwardData(long src, long weights, long dst, Walk walk, long forward) {
        Object[] tensors = {ENGINE, DIRECT, src, weights, dst};
        return convolution("backward_data", "pippppppppp", tensors, walk, forward, ATTRIBUTES);
    }

    public static long backwardWeights(long src, long weights, long dst, Walk walk, long forward) {
        Object[] tensors = {ENGINE, DIRECT, src, weights, 0L, dst};
        return convolution("backward_weights", "pipppppppppp", tensors, walk, forward, ATTRIBUTES);
    }

    /** The description of a convolution's primitive; {@code parameters} are of all arguments in their order. */
    private static long convolution(String pass, String parameters, Object[] tensors, Walk walk, Object... rest) {
        try (Arena arena = Arena.ofConfined()) {
            Stream<Object> dims = Stream.of(walk.strides, walk.dilations, walk.paddingLow, walk.paddingHigh)
                    .map(each -> dims(arena, each));
            Object[] all = Stream.of(Stream.of(tensors), dims, Stream.of(rest))
                    .flatMap(Function.identity())
                    .toArray();
            return create("dnnl_convolution_" + pass + "_primitive_desc_create", parameters, all);
        }
    }

    /** The description of a product's primitive, whose scratchpad is the caller's. */
    static long product(long left, long right, long result, boolean adds) {
        return create(
                "dnnl_matmul_primitive_desc_create",
                "pppppp",
                ENGINE,
                left,
                right,
                0L,
                result,
                adds ? ADDING : ATTRIBUTES);
    }

    public static long reorder(long from, long to) {
        long description = create("dnnl_reorder_primitive_desc_create", "ppppp", from, ENGINE, to, ENGINE, 0L);
        long primitive = primitive(description);
        destroy("dnnl_primitive_desc_destroy", description);
        return primitive;
    }

    public static long primitive(long description) {
        return create("dnnl_primitive_create", "p", description);
    }

    /** A memory object without memory. */
    public static long memory(long description) {
        return create("dnnl_memory_create", "ppp", description, ENGINE, 0L);
    }

    public static void point(long memory, long address) {
        check("dnnl_memory_set_data_handle", NativeCall.of(() -> (int) SET_HANDLE.invokeExact(memory, address)));
    }

    /** What {@link #execute} takes: the number of each argument and its memory. */
    public static MemorySegment arguments(Arena arena, long... pairs) {
        MemorySegment list = arena.allocate((long) pairs.length / 2 * ARGUMENT_BYTES, Long.BYTES);
        for (int i = 0; i < pairs.length; i += 2) {
            long at = (long) i / 2 * ARGUMENT_BYTES;
            list.set(JAVA_INT, at, (int) pairs[i]);
            list.set(JAVA_LONG, at + Long.BYTES, pairs[i + 1]);
        }
        return list;
    }

    /** @param arguments pairs of number and memory, as {@code dnnl_exec_arg_t} */
    public static void execute(long primitive, long stream, int count, MemorySegment arguments) {
        check("dnnl_primitive_execute", NativeCall.of(() ->
                (int) EXECUTE.invokeExact(primitive, stream, count, arguments.address())));
    }

    public static void destroy(String function, long object) {
        check(function, invoke(function, "p", object));
    }

    private static long engine() {
        stayOnThisThread();
        return create("dnnl_engine_create", "ip", CPU, 0L);
    }

    private static long attributes() {
        long attributes = create("dnnl_primitive_attr_create", "");
        check(
                "dnnl_primitive_attr_set_scratchpad_mode",
                invoke("dnnl_primitive_attr_set_scratchpad_mode", "pi", attributes, USER_SCRATCHPAD));
        // Whatever the environment allows, f32 is not rounded.
        check(
                "dnnl_primitive_attr_set_fpmath_mode",
                invoke("dnnl_primitive_attr_set_fpmath_mode", "pi", attributes, STRICT));
        return attributes;
    }

    /** Of what adds to the result that is there. */
    private static long adding() {
        long attributes = attributes();
        long sum = create("dnnl_post_ops_create", "");
        check("dnnl_post_ops_append_sum", invoke("dnnl_post_ops_append_sum", "pfii", sum, 1f, 0, TYPE_OF_RESULT));
        check("dnnl_primitive_attr_set_post_ops", invoke("dnnl_primitive_attr_set_post_ops", "pp", attributes, sum));
        destroy("dnnl_post_ops_destroy", sum);
        return attributes;
    }

    private static long dims(Arena arena, long... dims) {
        MemorySegment segment = arena.allocate(JAVA_LONG, MOST_DIMS);
        MemorySegment.copy(dims, 0, segment, JAVA_LONG, 0, dims.length);
        return segment.address();
    }

    /** Calls a function whose first parameter receives the new object. */
    private static long create(String function, String parameters, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment result = arena.allocate(JAVA_LONG);
            Object[] all = new Object[arguments.length + 1];
            all[0] = result.address();
            System.arraycopy(arguments, 0, all, 1, arguments.length);
            check(function, invoke(function, "p" + parameters, all));
            return result.get(JAVA_LONG, 0);
        }
    }

    private static int invoke(String function, String parameters, Object... arguments) {
        return NativeCall.of(() -> (int) link(function, parameters).invokeWithArguments(arguments));
    }

    private static void check(String function, int status) {
        if (status != 0) {
            throw new OneDnnException(function, status);
        }
    }

    /** @param parameters p for a pointer, i for an int, f for a float; the result is a status */
    private static MethodHandle link(String function, String parameters) {
        MemoryLayout[] layouts = parameters
                .chars()
                .mapToObj(kind -> kind == 'p' ? JAVA_LONG : kind == 'i' ? JAVA_INT : JAVA_FLOAT)
                .toArray(MemoryLayout[]::new);
        return Linker.nativeLinker()
                .downcallHandle(LIBRARY.find(function).orElseThrow(), FunctionDescriptor.of(JAVA_INT, layouts));
    }
}
