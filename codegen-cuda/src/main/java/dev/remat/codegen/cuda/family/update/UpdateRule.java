package dev.remat.codegen.cuda.family.update;

import dev.remat.codegen.cuda.emit.CudaType;
import dev.remat.codegen.cuda.emit.KernelCall;
import dev.remat.codegen.cuda.emit.KernelStepBinding;
import dev.remat.codegen.cuda.emit.LaneText;
import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Binary;
import dev.remat.ir.op.ElementwiseUpdate;
import dev.remat.ir.op.UpdateProgram.Step;
import dev.remat.ir.op.UpdateProgram.Term;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * An update's program as a C++ struct: it loads some neighbours of each tensor, computes in the accumulator type of the
 * parameter and stores. Scalars are rounded to that type once; a product that is only added is not rounded by itself.
 */
final class UpdateRule {
    private final ElementwiseUpdate op;
    private final KernelStepBinding step;
    private final KernelCall call;
    private final DType dtype;
    private final String number;
    private final int[] readers;
    private final StringBuilder members = new StringBuilder();
    private final List<String> values = new ArrayList<>();
    private final Map<Term, String> names = new LinkedHashMap<>();
    private final StringBuilder lanes = new StringBuilder();

    UpdateRule(ElementwiseUpdate op, KernelStepBinding step, KernelCall call) {
        this.op = op;
        this.step = step;
        this.call = call;
        this.dtype = step.operandType(0).dtype();
        this.number = CudaType.accumulator(dtype);
        this.readers = op.program().readers();
    }

    /** Operands that lie as the parameter does. */
    List<Integer> tensors() {
        return IntStream.range(0, step.instruction().operands().size())
                .filter(operand -> operand < op.others() || isTensor(operand) && !isRepeated(operand))
                .boxed()
                .toList();
    }

    private boolean isTensor(int operand) {
        TensorType type = step.operandType(operand);
        return type.rank() > 0 && type.dtype().isFloat();
    }

    private boolean isRepeated(int operand) {
        return !step.operandType(operand).shape().equals(step.operandType(0).shape());
    }

    /** Defines the struct in front of the kernel and returns the expression that makes one. */
    String define(UpdateGroup.Slots slots) {
        StringBuilder loads = new StringBuilder();
        List<Integer> tensors = tensors();
        for (int i = 0; i < tensors.size(); i++) {
            int operand = tensors.get(i);
            String type = CudaType.of(step.operandType(operand).dtype());
            member("const " + type + "*", "from" + operand, slots.operands().get(i));
            loads.append(number + " v" + operand + "[V];\nload_wide(from" + operand + " + i, v" + operand + ");\n");
            names.put(new Term.Operand(operand), "v" + operand + "[v]");
        }
        RepeatedTensors repeated = new RepeatedTensors(step.operandType(0).shape());
        for (int operand = op.others(); operand < step.instruction().operands().size(); operand++) {
            if (isTensor(operand) && isRepeated(operand)) {
                TensorType type = step.operandType(operand);
                member("const " + CudaType.of(type.dtype()) + "*", "from" + operand, step.input(call, operand));
                repeated.add(operand, type.shape());
                names.put(new Term.Operand(operand), "r" + operand);
            }
        }
        for (Step each : op.program().steps()) {
            each.in().forEach(this::scalar);
        }
        op.program().results().forEach(this::scalar);
        for (int i = 0; i < op.program().steps().size(); i++) {
            write(i);
        }
        loads.append(repeated.begin(this::extent)).append("#pragma unroll\nfor (int v = 0; v < V; v++) {\n");
        loads.append(repeated.read(number)).append(lanes);
        List<Term> results = op.program().results();
        StringBuilder stores = new StringBuilder();
        for (int result = 0; result < results.size(); result++) {
            member(CudaType.of(dtype) + "*", "to" + result, slots.results().get(result));
            loads.append("o" + result + "[v] = " + text(results.get(result)) + ";\n");
            stores.append("store_narrow(to" + result + ", i, o" + result + ");\n");
        }
        String outputs = IntStream.range(0, results.size())
                .mapToObj(result -> number + " o" + result + "[V];\n")
                .reduce("", String::concat);
        call.define(
                "struct Rule {\n" + members + "template <int V> __device__ __forceinline__ void run(u64 i) const {\n"
                        + outputs + loads + repeated.advance() + "}\n" + stores + "}\n};\n");
        return KernelCall.struct("Rule", values.toArray(String[]::new));
    }

    private void member(String type, String name, String value) {
        members.append(type + " " + name + ";\n");
        values.add(value);
    }

    private String extent(long extent) {
        String name = "n" + values.size();
        member("u64", name, call.u64(extent));
        return name;
    }

    /** A scalar or number that the program reads becomes a member once. */
    private void scalar(Term term) {
        String name = "c" + values.size();
        switch (term) {
            case Term.Real(double value)
            when !names.containsKey(term) -> {
                names.put(term, name);
                member(number, name, call.real(dtype, value));
            }
            case Term.Operand(int operand)
            when !names.containsKey(term) -> {
                names.put(term, name);
                member(number, name, "static_cast<" + number + ">(*" + step.input(call, operand) + ")");
            }
            case Term.Real _, Term.Operand _, Term.Result _ -> {}
        }
    }

    private void write(int index) {
        Step each = op.program().steps().get(index);
        LaneText.header(each.op()).ifPresent(call::header);
        if (!isFused(index)) {
            lanes.append("const auto t" + index + " = " + value(each) + ";\n");
        }
    }

    private String value(Step each) {
        boolean adds = each.op() instanceof Binary binary && binary.kind() == Binary.Kind.ADD;
        boolean subtracts = each.op() instanceof Binary binary && binary.kind() == Binary.Kind.SUB;
        if (adds || subtracts) {
            for (int operand = 0; operand < 2; operand++) {
                if (product(each, operand) >= 0) {
                    Step product = op.program().steps().get(product(each, operand));
                    String other = text(each.in().get(1 - operand));
                    return "math::fused(" + (subtracts && operand == 1 ? "-" : "")
                            + text(product.in().get(0)) + ", "
                            + text(product.in().get(1)) + ", "
                            + (subtracts && operand == 0 ? "-" : "") + other + ")";
                }
            }
        }
        return LaneText.of(each.op(), each.in().stream().map(this::text).toList());
    }

    /** The step that an operand of a sum is the product of, if nobody else reads that; −1 otherwise. */
    private int product(Step sum, int operand) {
        return sum.in().get(operand) instanceof Term.Result(int index)
                        && op.program().steps().get(index).op() instanceof Binary binary
                        && binary.kind() == Binary.Kind.MUL
                        && readers[index] == 1
                ? index
                : -1;
    }

    /** Whether the sum that reads a product computes it. */
    private boolean isFused(int index) {
        Term result = new Term.Result(index);
        return op.program().steps().stream()
                .filter(each -> each.op() instanceof Binary binary
                        && (binary.kind() == Binary.Kind.ADD || binary.kind() == Binary.Kind.SUB))
                .filter(each -> each.in().contains(result))
                .anyMatch(each -> {
                    int first = product(each, 0) >= 0 ? 0 : 1;
                    return product(each, first) == index;
                });
    }

    private String text(Term term) {
        return term instanceof Term.Result(int index) ? "t" + index : names.get(term);
    }
}
