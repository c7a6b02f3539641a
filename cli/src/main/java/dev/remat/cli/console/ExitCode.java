package dev.remat.cli.console;

import java.util.Arrays;
import java.util.Optional;

/** What the process returns; other tools rely on the numbers. */
public enum ExitCode {
    OK(0),
    INTERNAL_ERROR(1),
    USAGE(2),
    MODEL_ERROR(3),
    BUDGET_INFEASIBLE(4),
    DEVICE(5),
    PLAN_VIOLATION(6),
    STOPPED_ON_NAN(7),
    BAD_FILE(8),
    RANK_LOST(9),
    INTERRUPTED(130);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    /** The code of a number that a process of remat has returned; empty where it cannot have. */
    public static Optional<ExitCode> of(int number) {
        return Arrays.stream(values()).filter(code -> code.number == number).findFirst();
    }

    public int number() {
        return number;
    }
}
