package dev.remat.tests.steps;

/**
 * Whether tests are asked for all their cases, by {@code -Dremat.cases=all}, or for those that stand for others too: of
 * types that models are trained in, of samples that have every kind.
 */
public final class AllCases {
    private static final boolean ASKED = System.getProperty("remat.cases", "").equals("all");

    private AllCases() {}

    public static boolean asked() {
        return ASKED;
    }
}
