package dev.remat.ir.plan;

import java.util.Arrays;
import java.util.Locale;

/** Why a forward value is kept in memory for the backward. */
public enum RetainReason {
    /** The strategy retains everything. */
    KEEP_ALL,
    /** The user asked for it. */
    PIN,
    /** Its node must run once. */
    NOT_RECOMPUTABLE,
    /** It is an output of the step. */
    OUTPUT,
    /** It leaves the segment that computes it. */
    SEGMENT_BOUNDARY,
    /** It is computed right before the backward begins. */
    LAST_SEGMENT,
    /** So few bytes that dropping it saves nothing. */
    SMALL,
    /** It shares storage with a value that is retained anyway. */
    SHARED_STORAGE,
    /** The strategy found it cheaper to keep than to recompute. */
    CHOSEN;

    /** As printed: {@code segment-boundary}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if no reason is printed so */
    public static RetainReason ofLabel(String label) {
        return Arrays.stream(values())
                .filter(reason -> reason.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + label + "' is no reason to keep a value"));
    }
}
