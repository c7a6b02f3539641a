package dev.remat.compiler.account;

import dev.remat.compiler.plan.price.Price;
import dev.remat.compiler.plan.price.Price.Change;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What a plan would come to if it treated one tensor otherwise and all else stayed as it is.
 *
 * @param change how it would be treated
 * @param difference to the plan as it is; empty where that is not possible
 */
public record OtherDecision(Change change, Optional<Difference> difference) {
    /**
     * Of a step.
     *
     * @param cost in the unit of the cost model
     * @param millis the same as time; empty where costs are no times
     * @param peakBytes of the peak as planners reckon
     */
    public record Difference(long cost, OptionalDouble millis, long peakBytes) {}

    /** Of a tensor by its whole name; none where the plan decides nothing about it. */
    public static List<OtherDecision> of(PlanAccount account, String tensor) {
        return account.find().called(tensor).map(account::value).stream()
                .flatMap(value -> Stream.of(value.price(), value.instead()))
                .flatMap(Optional::stream)
                .map(price -> of(account, price))
                .toList();
    }

    private static OtherDecision of(PlanAccount account, Price price) {
        return switch (price) {
            case Price.Fixed fixed -> new OtherDecision(fixed.change(), Optional.empty());
            case Price.Changed changed ->
                new OtherDecision(
                        changed.change(),
                        Optional.of(new Difference(
                                changed.cost(),
                                account.compilation().costs().millis(changed.cost()),
                                changed.peakBytes())));
        };
    }
}
