package dev.remat.codegen.cuda.emit;

import dev.remat.codegen.cuda.target.VerifiedFamilies;
import dev.remat.ir.DType;
import dev.remat.ir.artifact.Extent3;
import dev.remat.ir.artifact.KernelEntry;
import dev.remat.ir.artifact.ParameterType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A kernel and one launch of it, written side by side: declaring a parameter states its argument. The text must not
 * depend on arguments, so that launches of other sizes share the kernel.
 */
public final class KernelCall {
    /** Stands for the symbol in definitions and body until it is known. */
    public static final String SYMBOL = "@SYMBOL@";

    private final String family;
    private final String name;
    private final List<String> headers;
    private final List<String> declarations = new ArrayList<>();
    private final List<ParameterType> parameters = new ArrayList<>();
    private final List<Long> arguments = new ArrayList<>();
    private final StringBuilder definitions = new StringBuilder();
    private String body = "";
    private Extent3 grid = Extent3.of(1);
    private Extent3 block = Extent3.of(1);
    private int structs;
    private int leastBlocks;
    private int shared;

    /**
     * @param family whose member it is, a resource of the same name holds its device functions
     * @param variant readable rest of the symbol: {@code f32_nt_128x128}
     * @param headers resources it needs, {@code matmul.cuh}
     */
    public KernelCall(String family, String variant, String... headers) {
        this.family = family;
        this.name = variant.isEmpty() ? family : family + "_" + variant;
        this.headers = new ArrayList<>(Arrays.asList(headers));
    }

    /** Declares a pointer to {@code type}, perhaps {@code "const float"}, and returns its name. */
    public String pointer(String type, long offset) {
        return declare(type + "* ", ParameterType.POINTER, offset);
    }

    public String input(DType type, long offset) {
        return pointer("const " + CudaType.of(type), offset);
    }

    public String output(DType type, long offset) {
        return pointer(CudaType.of(type), offset);
    }

    public String u32(long value) {
        if (value < 0 || value >= 1L << 32) {
            throw new IllegalArgumentException(value + " is no u32");
        }
        return declare("u32 ", ParameterType.U32, value);
    }

    public String u64(long value) {
        return declare("u64 ", ParameterType.U64, value);
    }

    public String i64(long value) {
        return declare("i64 ", ParameterType.I64, value);
    }

    /** A count or an index, in 32 bits where these suffice. */
    public String index(boolean narrow, long value) {
        return narrow ? u32(value) : u64(value);
    }

    /** What kernels divide an index by {@code extent} with. */
    public String divisor(boolean narrow, long extent) {
        return u64(narrow ? Divisor.magic(extent) : extent);
    }

    /** The C++ expression that makes a struct of its members. */
    public static String struct(String type, String... members) {
        return type + "{" + String.join(", ", members) + "}";
    }

    /** A number of the type that {@code type} is computed in: float or double. */
    public String real(DType type, double value) {
        return type == DType.F64
                ? declare("double ", ParameterType.F64, Double.doubleToRawLongBits(value))
                : declare("float ", ParameterType.F32, Integer.toUnsignedLong(Float.floatToRawIntBits((float) value)));
    }

    private String declare(String type, ParameterType parameter, long slot) {
        String parameterName = "a" + declarations.size();
        declarations.add(type + parameterName);
        parameters.add(parameter);
        arguments.add(slot);
        return parameterName;
    }

    public KernelCall header(String header) {
        if (!headers.contains(header)) {
            headers.add(header);
        }
        return this;
    }

    /** Text in the kernel's own namespace, before it. */
    public KernelCall define(String text) {
        definitions.append(text);
        return this;
    }

    public KernelCall body(String text) {
        body = text;
        return this;
    }

    public KernelCall grid(long x, long y, long z) {
        if (y > 65535 || z > 65535) {
            throw new IllegalArgumentException(name + ": no grid of " + x + " x " + y + " x " + z + " blocks");
        }
        grid = new Extent3(Math.toIntExact(x), Math.toIntExact(y), Math.toIntExact(z));
        return this;
    }

    public KernelCall grid(long x) {
        return grid(x, 1, 1);
    }

    /** Threads of a block, in one row; a function of the kernel's text, not of extents. */
    public KernelCall threads(int x) {
        block = Extent3.of(x);
        return this;
    }

    /** Blocks that should fit on a multiprocessor at once, which bounds registers. */
    public KernelCall leastBlocks(int blocks) {
        leastBlocks = blocks;
        return this;
    }

    /** Dynamic shared memory of a block in bytes. */
    public KernelCall shared(int bytes) {
        shared = bytes;
        return this;
    }

    /** A name for a struct that no other in the kernel has. */
    String structName() {
        structs++;
        return "Fused" + (structs == 1 ? "" : structs);
    }

    KernelSource source(String location) {
        int threads = Math.toIntExact(block.count());
        StringBuilder text = new StringBuilder("namespace remat {\n");
        if (!definitions.isEmpty()) {
            text.append("namespace ")
                    .append(SYMBOL)
                    .append("_ {\n")
                    .append(definitions)
                    .append("}\n");
        }
        text.append("extern \"C\" __global__ void __launch_bounds__(").append(threads);
        if (leastBlocks > 0) {
            text.append(", ").append(leastBlocks);
        }
        text.append(") ")
                .append(SYMBOL)
                .append("(")
                .append(String.join(", ", declarations))
                .append(") {\n");
        if (!definitions.isEmpty()) {
            text.append("    using namespace ").append(SYMBOL).append("_;\n");
        }
        text.append("    ").append(body.strip().replace("\n", "\n    ")).append("\n}\n}\n");
        String symbol = name + "_" + TextHash.of(text.toString());
        KernelEntry entry =
                new KernelEntry(symbol, family, parameters, threads, VerifiedFamilies.contains(family), location);
        return new KernelSource(entry, headers, text.toString().replace(SYMBOL, symbol));
    }

    Extent3 grid() {
        return grid;
    }

    Extent3 block() {
        return block;
    }

    int sharedBytes() {
        return shared;
    }

    List<Long> arguments() {
        return arguments;
    }
}
