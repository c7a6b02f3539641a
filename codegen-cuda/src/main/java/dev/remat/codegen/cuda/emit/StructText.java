package dev.remat.codegen.cuda.emit;

import dev.remat.ir.DType;
import dev.remat.ir.op.Draw;
import dev.remat.ir.op.DrawnRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Writes a C++ struct whose members are parameters of a kernel. */
final class StructText {
    /** The argument that tells whether what is computed is to be written. */
    static final String THERE = "there";

    private final KernelCall call;
    private final boolean narrow;
    private final StringBuilder members = new StringBuilder();
    private final List<String> values = new ArrayList<>();
    private final StringBuilder functions = new StringBuilder();
    private final Map<Integer, String> sources = new LinkedHashMap<>();
    private final Map<DrawnRows, String> pieces = new LinkedHashMap<>();
    private final StringBuilder columnMembers = new StringBuilder();
    private final StringBuilder columnValues = new StringBuilder();
    private boolean byColumns;

    StructText(KernelCall call, boolean narrow) {
        this.call = call;
        this.narrow = narrow;
    }

    boolean isNarrow() {
        return narrow;
    }

    /** Declares a member and the parameter with its value; returns its name. */
    String member(String type, String name, Function<KernelCall, String> parameter) {
        members.append(type).append(" ").append(name).append(";\n");
        values.add(parameter.apply(call));
        return name;
    }

    /**
     * A member that holds an extent or a stride. Equal numbers get members of their own: the text must not know values.
     */
    String index(long value) {
        String name = "n" + values.size();
        return narrow ? member("u32", name, c -> c.u32(value)) : member("u64", name, c -> c.u64(value));
    }

    /** The member that draws for the random operation {@code ordinal}. */
    String draws(RandomSource source, int ordinal) {
        return sources.computeIfAbsent(ordinal, o -> member("Draws", "d" + sources.size(), c -> source.declare(c, o)));
    }

    /** The member that tells which elements of a larger tensor are drawn for. */
    String piece(RandomSource source, DrawnRows rows) {
        return pieces.computeIfAbsent(
                rows,
                r -> member(RandomSource.type(r, narrow), "piece" + pieces.size(), c -> source.declare(c, r, narrow)));
    }

    /** Members with the least kept draw and the factor of what is kept. */
    List<String> keep(DType type, double p) {
        long threshold = (long) Math.ceil(p * 0x1p24);
        return List.of(
                member("u32", "k" + values.size(), c -> c.u32(threshold)),
                member(CudaType.accumulator(type), "k" + values.size(), c -> c.real(type, 1 / (1 - p))));
    }

    /** The member with the bound of integers. */
    List<String> draw(Draw op) {
        return op.kind() == Draw.Kind.INTEGER
                ? List.of(member("u64", "k" + values.size(), c -> c.u64(op.bound())))
                : List.of();
    }

    /** A member with a constant of {@code type}; integers and bools are written out. */
    String constant(DType type, double value) {
        return type.isFloat()
                ? member(CudaType.accumulator(type), "c" + values.size(), c -> c.real(type, value))
                : CudaType.literal(type, value);
    }

    /** Factor, number and first value of a line; floating point ones in double, whose result is rounded once. */
    List<String> line(String number, DType type, double start, double step) {
        if (!type.isFloat()) {
            return List.of(
                    member("i64", "c" + values.size(), c -> c.i64((long) step)),
                    number,
                    member("i64", "c" + values.size(), c -> c.i64((long) start)));
        }
        return List.of(constant(DType.F64, step), "static_cast<double>(" + number + ")", constant(DType.F64, start));
    }

    /**
     * Defines what a table holds, floating point numbers as their bits.
     *
     * @return the expression of its entry {@code index}
     */
    String table(int number, DType type, List<Double> entries, String index) {
        DType computed = type.accumulator();
        String name = "table" + number;
        StringBuilder text = new StringBuilder("__device__ const ")
                .append(CudaType.bits(computed))
                .append(" ")
                .append(name)
                .append("[] = {");
        for (int i = 0; i < entries.size(); i++) {
            text.append(i % 8 == 0 ? "\n    " : " ")
                    .append(CudaType.bitsOf(computed, entries.get(i)))
                    .append(",");
        }
        call.define(text.append("\n};\n").toString());
        return CudaType.ofBits(computed, name + "[" + index + "]");
    }

    void function(String signature, String body) {
        functions
                .append("__device__ __forceinline__ ")
                .append(signature)
                .append(" {\n")
                .append(body)
                .append("}\n");
    }

    void loads(List<OperandAccess> operands) {
        byColumns = operands.stream().anyMatch(OperandAccess::ofColumns);
        if (byColumns) {
            List<OperandAccess> once =
                    operands.stream().filter(OperandAccess::ofColumns).toList();
            loads("Columns", "columns_of", once, columnMembers, columnValues);
        }
        List<OperandAccess> each =
                operands.stream().filter(operand -> !operand.ofColumns()).toList();
        loads("Loaded", "load", each, "", "");
    }

    private void loads(
            String type, String name, List<OperandAccess> operands, CharSequence computed, CharSequence values) {
        functions.append("template <int V> struct ").append(type).append(" {\n");
        operands.forEach(operand -> functions.append(operand.member()));
        functions.append(computed).append("};\n");
        StringBuilder body = new StringBuilder(type + "<V> x;\n");
        for (OperandAccess operand : operands) {
            body.append("{\n").append(operand.load()).append("}\n");
        }
        if (!values.isEmpty()) {
            loop(body, values);
        }
        body.append("return x;\n");
        template(type + "<V> " + name + "(Index i) const", body);
    }

    /**
     * A number of each column that is computed once.
     *
     * @param value of what is loaded into {@code x}
     * @return its expression on lane l
     */
    String ofColumns(DType type, String name, String value) {
        columnMembers
                .append(CudaType.accumulator(type))
                .append(" ")
                .append(name)
                .append("[V];\n");
        columnValues.append("x.").append(name).append("[l] = ").append(value).append(";\n");
        return "columns." + name + "[l]";
    }

    /** The argument with what a thread has loaded for its columns, if it has. */
    private String columns() {
        return byColumns ? "const Columns<V>& columns, " : "";
    }

    /** The function that a reduction reads through, each element once; it writes on the way what is to be stored. */
    void evaluate(CharSequence draws, CharSequence lanes, DType type, String value, List<WriteAccess> writes) {
        StringBuilder body = new StringBuilder();
        body.append("const Index i = static_cast<Index>(index);\nconst Loaded<V> x = load<V>(i);\n")
                .append(draws);
        writes.forEach(write -> body.append(write.declaration()));
        StringBuilder inner = new StringBuilder(lanes);
        writes.forEach(write -> inner.append(write.lane()));
        loop(body, inner + "values[l] = " + value + ";\n");
        writes.forEach(write -> body.append(write.store()));
        template("void load(u64 index, " + columns() + CudaType.accumulator(type) + " (&values)[V]) const", body);
    }

    /** The function that computes and writes; with what is given comes whether there is anything to write. */
    void finish(Optional<DType> given, CharSequence draws, CharSequence lanes, List<WriteAccess> writes) {
        StringBuilder body = new StringBuilder(draws);
        writes.forEach(write -> body.append(write.declaration()));
        StringBuilder inner = new StringBuilder(lanes);
        writes.forEach(write -> inner.append(write.lane()));
        loop(body, inner);
        writes.forEach(write -> body.append(write.store()));
        String signature = given.map(type -> "store(Index i, const " + CudaType.accumulator(type)
                        + " (&given)[V], const Loaded<V>& x, bool " + THERE + ")")
                .orElse("finish(Index i, " + columns() + "const Loaded<V>& x)");
        template("void " + signature + " const", "const u64 index = i;\n" + body);
    }

    private static void loop(StringBuilder body, CharSequence inner) {
        body.append("#pragma unroll\nfor (int l = 0; l < V; l++) {\n")
                .append(inner)
                .append("}\n");
    }

    private void template(String signature, CharSequence body) {
        functions.append("template <int V> ");
        function(signature, body.toString());
    }

    /** Adds the struct to the kernel's definitions and returns the expression that makes one. */
    String define() {
        String name = call.structName();
        String text = "struct " + name + " {\ntypedef " + (narrow ? "u32" : "u64") + " Index;\n" + members + functions
                + "};\n";
        call.define(Indentation.of(text));
        return name + "{" + String.join(", ", values) + "}";
    }
}
