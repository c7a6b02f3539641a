package dev.remat.tests.gpu;

import dev.remat.ir.TensorType;
import dev.remat.tests.reference.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
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
    /** What follows is the name of an entry, or of a group of them, whose SHA-256 this is. */
    static final String HASH = "hash/";

    private static final long SAMPLED = 512;

    private ShortRecording() {}

    /** Some hundred elements that are spread over a tensor, or all if it has no more. */
    static Tensor sample(Tensor tensor) {
        long elements = tensor.type().elements();
        // Odd, so that no columns of a matrix are passed by whose number is even.
        long stride = Math.ceilDiv(elements, SAMPLED) | 1;
        double[] sample = new double[Math.toIntExact(Math.ceilDiv(elements, stride))];
        Arrays.setAll(sample, i -> tensor.data()[Math.toIntExact(i * stride)]);
        return new Tensor(TensorType.of(tensor.type().dtype(), sample.length), sample);
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
     * Of training steps, but for what they give.
     *
     * @param full initial values and every batch
     */
    static SequencedMap<String, byte[]> ofSteps(RecordingFile full) {
        SequencedMap<String, byte[]> kept = new LinkedHashMap<>();
        Map<String, Fingerprint> groups = new TreeMap<>();
        for (String name : full.names()) {
            int end = name.indexOf('/') + 1;
            if (name.startsWith(INITIAL) || name.startsWith(BATCH)) {
                groups.computeIfAbsent(name.substring(0, end), _ -> new Fingerprint())
                        .add(name.substring(end), full.get(name));
            }
        }
        groups.forEach((name, group) -> kept.put(HASH + name, group.end()));
        return kept;
    }
}
