package dev.remat.runtime.cpu;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Instruction;
import dev.remat.ir.execution.KernelStep;
import dev.remat.ir.execution.MemoryWrite;
import dev.remat.runtime.cpu.support.StrayIndexException;
import dev.remat.runtime.io.DataException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Words for an id, label or index that picks outside of its tensor. */
final class StrayIndices {
    private StrayIndices() {}

    /** Which operation where in the model met which value of which tensor, and what it takes. */
    static DataException report(ExecutionPlan plan, KernelStep step, StrayIndexException stray) {
        Instruction picker = step.body().instructions().stream()
                .filter(each ->
                        each.op().indexedExtent(step.body().operandTypes(each)).isPresent())
                .findFirst()
                .orElseGet(() -> step.body().instructions().getFirst());
        OptionalLong ignored = picker.op().ignoredIndex();
        return new DataException(step.location() + ": " + picker.op().mnemonic() + " '" + step.name() + "' met "
                + stray.index() + " at position " + stray.position() + " of "
                + indices(plan, step, stray.base())
                        .map(name -> "'" + name + "'")
                        .orElse("its indices")
                + "; it takes 0 to " + (stray.extent() - 1L)
                + (ignored.isPresent() ? ", or " + ignored.getAsLong() + " for what does not count" : ""));
    }

    private static Optional<String> indices(ExecutionPlan plan, KernelStep step, long base) {
        return step.reads().stream()
                .filter(read -> read.address() == base)
                .flatMap(read -> names(plan, read.value()))
                .findFirst();
    }

    private static Stream<String> names(ExecutionPlan plan, int value) {
        return Stream.concat(
                plan.inputs().stream().filter(input -> input.value() == value).map(ArenaTensor::name),
                plan.steps().stream()
                        .flatMap(step -> step.writes().stream())
                        .filter(write -> write.value() == value)
                        .map(MemoryWrite::name));
    }
}
