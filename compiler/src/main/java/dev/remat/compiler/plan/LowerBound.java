package dev.remat.compiler.plan;

/**
 * No sequence within the budget and the scope costs less.
 *
 * @param cost of all steps and, once, of the residents
 * @param scope the sequences that the bound covers, such as {@code any-order}
 */
public record LowerBound(long cost, String scope) {
    /** Covers every sequence whatever its order. */
    public static final String ANY_ORDER = "any-order";
    /** Covers sequences whose first computations stand in the given order, each value computed any number of times. */
    public static final String GIVEN_ORDER = "given-order";
}
