package dev.remat.ir.target;

import dev.remat.ir.DType;
import dev.remat.ir.TensorType;
import dev.remat.ir.op.Elementwise;
import dev.remat.ir.op.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a kernel's time depends on: its operations, the types they work on, and how operands lie in memory. Names,
 * places in the model, constants, which random numbers are drawn and where in the arena anything lies do not matter, so
 * that equal layers have equal kernels.
 *
 * @param operations in order, at least one
 */
public record KernelSignature(List<Operation> operations) {
    /** The attribute by which random operations of a model differ from each other. */
    private static final String DRAW = "ordinal";

    public KernelSignature {
        operations = List.copyOf(operations);
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("a kernel has operations");
        }
    }

    /** One operation of a kernel. */
    public record Operation(Op op, List<Source> operands, List<Result> results) {
        public Operation {
            operands = List.copyOf(operands);
            results = List.copyOf(results);
        }

        private String text() {
            return op.mnemonic()
                    + op.attributes().without(DRAW)
                    + operands.stream().map(Source::text).collect(Collectors.joining(", ", "(", ")"))
                    + results.stream().map(Result::text).collect(Collectors.joining(", ", " -> ", ""));
        }
    }

    /** @param stored whether the kernel leaves it in memory */
    public record Result(TensorType type, boolean stored) {
        private String text() {
            return type + (stored ? "!" : "");
        }
    }

    /** Where an operation finds an operand. */
    public sealed interface Source {
        String text();
    }

    /**
     * In a buffer.
     *
     * @param buffer counts the kernel's buffers in order of first use
     * @param strides step of each axis in elements; empty where the elements lie side by side
     */
    public record Memory(int buffer, TensorType type, List<Long> strides) implements Source {
        public Memory {
            strides = List.copyOf(strides);
        }

        @Override
        public String text() {
            String steps = strides.stream().map(String::valueOf).collect(Collectors.joining(", ", "{", "}"));
            return "@" + buffer + ":" + type + (strides.isEmpty() ? "" : steps);
        }
    }

    /** Result {@code result} of the kernel's earlier operation {@code operation}. */
    public record Earlier(int operation, int result) implements Source {
        @Override
        public String text() {
            return "%" + operation + (result == 0 ? "" : "." + result);
        }
    }

    /** A number known when the kernel is made. */
    public record Literal() implements Source {
        @Override
        public String text() {
            return "literal";
        }
    }

    /** A seed, known when the kernel starts. */
    public record Seed() implements Source {
        @Override
        public String text() {
            return "seed";
        }
    }

    /**
     * The signature as a line of text, by which profiles tell kernels apart:
     * {@code matmul{…}(@0:f32[8, 4], @1:f32[4, 2]) -> f32[8, 2]; relu(%0) -> f32[8, 2]!}.
     */
    public String key() {
        List<String> lines = new ArrayList<>();
        operations.forEach(operation -> lines.add(operation.text()));
        return String.join("; ", lines);
    }

    /** The operation that the kernel is there for: the one that is not elementwise, else {@code elementwise}. */
    public String family() {
        return operations.stream()
                .map(Operation::op)
                .filter(op -> !(op instanceof Elementwise))
                .map(Op::mnemonic)
                .findFirst()
                .orElse("elementwise");
    }

    /** What most of the arithmetic is done in: the type of the first result. */
    public DType dtype() {
        List<Result> results = operations.getFirst().results();
        return results.isEmpty() ? DType.F32 : results.getFirst().type().dtype();
    }
}
