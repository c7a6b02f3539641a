package dev.remat.tests.steps;

import dev.remat.ir.DType;
import dev.remat.ir.StridedView;
import dev.remat.ir.TensorType;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.Operand;
import dev.remat.ir.op.Op;
import dev.remat.tests.reference.ReferenceInterpreter;
import dev.remat.tests.reference.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What one step computes from which tensors.
 *
 * @param body as in a plan's step
 * @param sources what the reads find, in order
 * @param written results that are stored
 * @param places where each of them goes
 */
public record StepSample(
        List<Instruction> body, List<Source> sources, List<Operand.FromInstruction> written, List<Place> places) {
    /**
     * Where a result goes.
     *
     * @param buffer number of the buffer; results of one number share it
     * @param elements of the buffer
     */
    public record Place(int buffer, long elements, StridedView view) {}

    /**
     * A tensor inside a buffer.
     *
     * @param buffer its content, row-major
     * @param view how the tensor lies in it
     */
    public record Source(Tensor buffer, StridedView view) {
        public static Source dense(Tensor tensor) {
            return new Source(tensor, StridedView.dense(tensor.type().shape()));
        }

        /** What a reader sees. */
        public Tensor tensor() {
            long[] extents = view.extents().stream().mapToLong(Long::longValue).toArray();
            Tensor seen = Tensor.zeros(TensorType.of(buffer.type().dtype(), extents));
            for (int i = 0; i < seen.data().length; i++) {
                long at = view.offset();
                long rest = i;
                for (int axis = extents.length - 1; axis >= 0; axis--) {
                    at += rest % extents[axis] * view.strides().get(axis);
                    rest /= extents[axis];
                }
                seen.data()[i] = buffer.data()[Math.toIntExact(at)];
            }
            return seen;
        }
    }

    public StepSample {
        body = List.copyOf(body);
        sources = List.copyOf(sources);
        written = List.copyOf(written);
        places = List.copyOf(places);
    }

    /** Each result is a buffer of its own, row-major. */
    public StepSample(List<Instruction> body, List<Source> sources, List<Operand.FromInstruction> written) {
        this(body, sources, written, dense(body, written));
    }

    private static List<Place> dense(List<Instruction> body, List<Operand.FromInstruction> written) {
        List<Place> places = new ArrayList<>();
        for (Operand.FromInstruction result : written) {
            TensorType type = body.get(result.instruction()).types().get(result.result());
            places.add(new Place(places.size(), type.elements(), StridedView.dense(type.shape())));
        }
        return places;
    }

    /** One operation on dense tensors, seeds among them; all its results but seeds are stored. */
    public static StepSample of(Op op, List<Tensor> operands) {
        List<TensorType> results = op.infer(operands.stream().map(Tensor::type).toList());
        return of(
                op,
                operands,
                IntStream.range(0, results.size())
                        .filter(i -> results.get(i).dtype() != DType.SEED)
                        .boxed()
                        .toList());
    }

    /** One operation of which only some results are stored. */
    public static StepSample of(Op op, List<Tensor> operands, List<Integer> stored) {
        List<Source> sources = new ArrayList<>();
        List<Operand> places = new ArrayList<>();
        for (Tensor operand : operands) {
            if (operand.type().dtype() == DType.SEED) {
                places.add(new Operand.FromSeed((int) operand.data()[0]));
            } else {
                places.add(new Operand.FromMemory(sources.size()));
                sources.add(Source.dense(operand));
            }
        }
        Instruction instruction = new Instruction(
                op, places, op.infer(operands.stream().map(Tensor::type).toList()));
        return new StepSample(
                List.of(instruction),
                sources,
                stored.stream().map(i -> new Operand.FromInstruction(0, i)).toList());
    }

    public TensorType type(Operand.FromInstruction operand) {
        return body.get(operand.instruction()).types().get(operand.result());
    }

    /** What the reference finds for the stored results, every instruction's result rounded. */
    public List<Tensor> expected(ReferenceInterpreter reference, long step, int microBatch) {
        List<List<Tensor>> results = new ArrayList<>();
        for (Instruction instruction : body) {
            List<Tensor> operands = instruction.operands().stream()
                    .map(operand -> switch (operand) {
                        case Operand.FromMemory memory ->
                            sources.get(memory.index()).tensor();
                        case Operand.FromInstruction local ->
                            results.get(local.instruction()).get(local.result());
                        case Operand.FromSeed seed -> Tensor.of(TensorType.SEED, seed.ordinal());
                    })
                    .toList();
            results.add(reference.apply(instruction.op(), operands, step, microBatch));
        }
        return written.stream()
                .map(w -> results.get(w.instruction()).get(w.result()))
                .toList();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        body.forEach(i -> text.append(i.op().mnemonic())
                .append(i.op().attributes())
                .append(i.operands())
                .append("; "));
        sources.forEach(s -> text.append(s.buffer.type().dtype().label())
                .append(s.view.extents())
                .append("/")
                .append(s.view.strides())
                .append("+")
                .append(s.view.offset())
                .append(" "));
        places.stream()
                .filter(place -> !place.view.isContiguous())
                .forEach(place -> text.append("to ").append(place.view).append(" "));
        return text.toString()
                .replace("FromMemory[index=", "[%")
                .replace("FromInstruction", "")
                .strip();
    }
}
