package dev.remat.cli.console;

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
    INTERRUPTED(130);

    private final int number;

    ExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
