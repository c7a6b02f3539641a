package dev.remat.tests.gpu;

import dev.remat.ir.TensorType;
import dev.remat.ir.execution.ArenaTensor;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.graph.InputKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What a bundle keeps of a recording. Operands, initial values and data are drawn again where they are needed, and of
 * results that owe the same bits a hash is enough, so that little is left but what only has to be near.
 */
final class ShortRecording {
    static final String INITIAL = "initial/";
    static final String FINAL = "final/";
    static final String BATCH = "batch.";
    static final String LOSS = "loss.";
    /** What follows is the name of an entry, or of a group of them, whose SHA-256 this is. */
    static final String HASH = "hash/";

    private static final long SAMPLED = 4096;

    private ShortRecording() {}

    /** The type of what {@link #sample} keeps of a tensor. */
    static TensorType sampled(TensorType type) {
        return TensorType.of(type.dtype(), Math.ceilDiv(type.elements(), stride(type)));
    }

    /** Some thousand elements that are spread over a tensor, or all if it has no more. */
    static MemorySegment sample(TensorType type, MemorySegment bytes) {
        long size = type.dtype().bytes();
        TensorType kept = sampled(type);
        MemorySegment sample = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(kept.bytes(), Long.BYTES))]);
        for (long i = 0; i < kept.elements(); i++) {
            MemorySegment.copy(bytes, i * stride(type) * size, sample, i * size, size);
        }
        return sample.asSlice(0, kept.bytes());
    }

    /** Odd, so that no columns of a matrix are passed by whose number is even. */
    private static long stride(TensorType type) {
        return Math.ceilDiv(type.elements(), SAMPLED) | 1;
    }

    /**
     * Of single operations.
     *
     * @param full every operand and every result
     * @param owesBits whether a result of that name does
     */
    static SequencedMap<String, byte[]> ofOps(Map<String, byte[]> full, Predicate<String> owesBits) {
        SequencedMap<String, byte[]> kept = new LinkedHashMap<>();
        Fingerprint operands = new Fingerprint();
        full.forEach((name, bytes) -> {
            MemorySegment content = MemorySegment.ofArray(bytes);
            if (name.startsWith(INITIAL)) {
                operands.add(name, content);
            } else if (owesBits.test(name.substring(FINAL.length()))) {
                kept.put(HASH + name, Fingerprint.of(content));
            } else {
                kept.put(name, bytes);
            }
        });
        kept.put(HASH + INITIAL, operands.end());
        return kept;
    }

    /**
     * Of training steps.
     *
     * @param plan of the model; samples of its parameters are kept
     */
    static SequencedMap<String, byte[]> ofSteps(RecordingFile full, ExecutionPlan plan) {
        SequencedMap<String, byte[]> kept = new LinkedHashMap<>();
        Map<String, Fingerprint> groups = new TreeMap<>();
        for (String name : full.names()) {
            int end = name.indexOf('/') + 1;
            if (name.startsWith(INITIAL) || name.startsWith(BATCH)) {
                groups.computeIfAbsent(name.substring(0, end), _ -> new Fingerprint())
                        .add(name.substring(end), full.get(name));
            } else if (name.startsWith(LOSS)) {
                kept.put(name, full.bytes(name));
            }
        }
        for (ArenaTensor input : plan.inputs()) {
            if (input.kind() == InputKind.PARAMETER) {
                MemorySegment sample = sample(input.type(), full.get(FINAL + input.name()));
                kept.put(FINAL + input.name(), sample.toArray(ValueLayout.JAVA_BYTE));
            }
        }
        groups.forEach((name, group) -> kept.put(HASH + name, group.end()));
        return kept;
    }
}
