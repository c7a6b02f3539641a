package dev.remat.tests.promises;

import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.graph.InputKind;
import dev.remat.runtime.TimedExecutable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.IntUnaryOperator;

/** A rank that takes its micro-batch for another one. */
final class NumberedRank {
    /** What reads the number. */
    enum Told {
        /** Random numbers, which are drawn for rows of the whole batch. */
        OF_DRAWS,
        /** Sums, which begin anew with the first micro-batches of a step. */
        OF_SUMS
    }

    private NumberedRank() {}

    /** @param number that is taken for that of a micro-batch */
    static TimedExecutable of(TimedExecutable rank, Told told, IntUnaryOperator number) {
        long offset = rank.plan().inputs().stream()
                .filter(input -> input.kind() == InputKind.MICRO_BATCH)
                .mapToLong(ArenaTensor::offset)
                .findFirst()
                .orElseThrow();
        return (TimedExecutable) Proxy.newProxyInstance(
                NumberedRank.class.getClassLoader(), new Class<?>[] {TimedExecutable.class}, (_, method, given) -> {
                    Object[] arguments = given == null ? new Object[0] : given.clone();
                    boolean runs = method.getName().equals("run") && arguments.length == 4;
                    if (told == Told.OF_DRAWS && runs) {
                        arguments[1] = number.applyAsInt((int) arguments[1]);
                    } else if (told == Told.OF_SUMS
                            && method.getName().equals("write")
                            && Long.valueOf(offset).equals(arguments[0])) {
                        int right = (int) ((MemorySegment) arguments[1]).get(ValueLayout.JAVA_LONG, 0);
                        arguments[1] = MemorySegment.ofArray(new long[] {number.applyAsInt(right)});
                    }
                    try {
                        return method.invoke(rank, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
