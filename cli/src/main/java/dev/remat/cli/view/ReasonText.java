package dev.remat.cli.view;

import dev.remat.ir.plan.RetainReason;

/** Why a tensor is kept, in words. */
public final class ReasonText {
    private ReasonText() {}

    /** @param label of a {@link RetainReason}, or {@code needed} */
    public static String of(String label) {
        for (RetainReason reason : RetainReason.values()) {
            if (reason.label().equals(label)) {
                return words(reason);
            }
        }
        return "what runs later reads it, and the plan does not compute it again";
    }

    private static String words(RetainReason reason) {
        return switch (reason) {
            case KEEP_ALL -> "the strategy keeps everything";
            case PIN -> "the model pins it";
            case NOT_RECOMPUTABLE -> "its node must run once";
            case OUTPUT -> "it is an output of the step";
            case SEGMENT_BOUNDARY -> "it crosses from one segment to the next";
            case LAST_SEGMENT -> "it is computed right before the backward pass begins";
            case SMALL -> "it is so small that dropping it saves nothing";
            case SHARED_STORAGE -> "it lies in the storage of one that is kept anyway";
            case CHOSEN -> "the strategy found it cheaper to keep than to compute again";
        };
    }
}
