package dev.remat.ir.target;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelBody;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Attributes;
import dev.remat.ir.op.Literal;
import dev.remat.ir.op.Op;
import dev.remat.ir.op.Update;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a kernel's time depends on: its operations, the types they work on, and how operands lie in memory. Names,
 * locations in the model, literals, which random numbers are drawn and where in the arena anything lies do not matter,
 * so that equal layers have equal kernels.
 */
public record KernelSignature(KernelBody body) {
    /** The attributes by which random operations of a model differ from each other, or those of its micro-batches. */
    private static final List<String> DRAW = List.of("ordinal", "block", "pieces", "piece");

    /** @throws IllegalArgumentException if the kernel does nothing */
    public KernelSignature {
        if (body.instructions().stream().allMatch(KernelSignature::isLiteral)) {
            throw new IllegalArgumentException("a kernel has operations");
        }
    }

    private static boolean isLiteral(Instruction instruction) {
        return instruction.op() instanceof Literal;
    }

    /** The operation that the kernel is there for: the one that is not elementwise, else {@code elementwise}. */
    public String family() {
        return body.form() == KernelBody.Form.ELEMENTWISE
                ? "elementwise"
                : body.instructions().get(body.anchor()).op().mnemonic();
    }

    /** What most of the arithmetic is done in: the type of the first result. */
    public DType dtype() {
        for (Instruction instruction : body.instructions()) {
            if (!isLiteral(instruction) && !instruction.types().isEmpty()) {
                return instruction.types().getFirst().dtype();
            }
        }
        return DType.F32;
    }

    /**
     * The signature as a line of text, by which profiles tell kernels apart:
     * {@code matmul{…}(@0:f32[8, 4], @1:f32[4, 2]) -> f32[8, 2]; relu(%0) -> f32[8, 2]!}. A number behind {@code @} is
     * that of a buffer, and what ends in {@code !} is stored.
     */
    public String key() {
        List<String> lines = new ArrayList<>();
        /* Literals have no line, so that numbers of operations are not those of instructions. */
        int[] lineOf = new int[body.instructions().size()];
        for (int i = 0; i < lineOf.length; i++) {
            Instruction instruction = body.instructions().get(i);
            if (!isLiteral(instruction)) {
                lineOf[i] = lines.size();
                String operands = instruction.operands().stream()
                        .map(operand -> source(operand, lineOf))
                        .collect(Collectors.joining(", ", "(", ")"));
                Op op = instruction.op();
                Attributes attributes = op.attributes();
                for (String name : DRAW) {
                    attributes = attributes.without(name);
                }
                lines.add(op.mnemonic() + attributes + operands + results(i));
            }
        }
        return String.join("; ", lines);
    }

    private String source(Operand operand, int[] lineOf) {
        return switch (operand) {
            case Operand.FromMemory(int index) -> {
                KernelBody.Read read = body.reads().get(index);
                yield "@" + read.buffer() + ":" + read.type() + strides(read.view());
            }
            case Operand.FromInstruction(int instruction, int result) ->
                isLiteral(body.instructions().get(instruction))
                        ? "literal"
                        : "%" + lineOf[instruction] + (result == 0 ? "" : "." + result);
            case Operand.FromSeed _ -> "seed";
        };
    }

    private String results(int instruction) {
        List<TensorType> types = body.instructions().get(instruction).types();
        boolean updates = body.instructions().get(instruction).op() instanceof Update;
        List<String> texts = new ArrayList<>();
        for (int r = 0; r < types.size(); r++) {
            int result = r;
            String stored = body.writes().stream()
                    .filter(write -> !updates && write.instruction() == instruction && write.result() == result)
                    .map(write -> "!" + strides(write.view()))
                    .findFirst()
                    .orElse("");
            texts.add(types.get(r) + stored);
        }
        return " -> " + String.join(", ", texts);
    }

    private static String strides(StridedView view) {
        return view.isContiguous()
                ? ""
                : view.strides().stream().map(String::valueOf).collect(Collectors.joining(", ", "{", "}"));
    }
}
