package dev.remat.tests.cuda;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.Executable;
import dev.remat.tests.reference.Tensor;
import dev.remat.tests.steps.TensorBytes;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.Consumer;

/**
 * Makes each element of each parameter larger or smaller by a tiny part of itself.
 *
 * @param size the part
 * @param seed what the directions are drawn from
 */
public record NudgeParameters(double size, long seed) implements Consumer<Executable> {
    @Override
    public void accept(Executable executable) {
        Random random = new Random(seed);
        for (ArenaTensor input : executable.plan().inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                long bytes = input.type().bytes();
                MemorySegment memory = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES + 1)])
                        .asSlice(0, bytes);
                memory.copyFrom(executable.read(input.offset(), bytes));
                Tensor parameter = TensorBytes.decode(input.type(), memory, 0);
                for (int i = 0; i < parameter.data().length; i++) {
                    parameter.data()[i] *= random.nextBoolean() ? 1 + size : 1 - size;
                }
                TensorBytes.encode(parameter, memory, 0);
                executable.write(input.offset(), memory);
            }
        }
    }
}
