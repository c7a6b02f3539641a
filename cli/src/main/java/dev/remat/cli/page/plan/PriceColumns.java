package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.account.ValueFacts.Recomputation;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.json.JsonFields;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What each decision of a plan is worth, and how what is computed again comes about. */
final class PriceColumns {
    private final PlanAccount account;
    private final List<ValueFacts> priced;

    /** Every price takes an evaluation of the whole step, so that they are asked side by side. */
    PriceColumns(PlanAccount account) {
        this.account = account;
        priced = account.values().parallelStream()
                .map(account::value)
                .filter(facts -> facts.price().isPresent())
                .toList();
    }

    void write(JsonGenerator out) throws IOException {
        Columns.write(out, "prices", priced, columns -> {
            columns.differences("value", value -> value.value().id().index());
            JsonFields.array(out, "change", priced, value -> out.writeString(changeOf(price(value))));
            JsonFields.array(out, "obstacle", priced, value -> out.writeString(obstacle(price(value))));
            columns.numbers(
                    "peakBytes",
                    value -> changed(value).map(Price.Changed::peakBytes).orElse(0L));
            columns.numbers(
                    "cost", value -> changed(value).map(Price.Changed::cost).orElse(0L));
            JsonFields.array(out, "fitsBudget", priced, value -> {
                Optional<Boolean> fits = changed(value).flatMap(account::fitsBudget);
                out.writeObject(fits.orElse(null));
            });
            JsonFields.array(out, "instead", priced, value -> writeInstead(out, value));
            columns.lists(
                    "runs",
                    value -> value.recomputation().map(Recomputation::runs).orElse(List.of()));
            columns.lists(
                    "from",
                    value -> value.recomputation().map(Recomputation::from).orElse(List.of()));
            columns.lists(
                    "removed",
                    value -> changed(value).map(Price.Changed::removed).orElse(List.of()).stream()
                            .map(account::made)
                            .toList());
        });
    }

    private static Price price(ValueFacts value) {
        return value.price().orElseThrow();
    }

    /** Peak and cost of computing again what is moved; null of what is not, or cannot be. */
    private static void writeInstead(JsonGenerator out, ValueFacts value) throws IOException {
        if (value.instead().orElse(null) instanceof Price.Changed changed) {
            out.writeArray(new long[] {changed.peakBytes(), changed.cost()}, 0, 2);
        } else {
            out.writeNull();
        }
    }

    private static Optional<Price.Changed> changed(ValueFacts value) {
        return price(value) instanceof Price.Changed changed ? Optional.of(changed) : Optional.empty();
    }

    private static String changeOf(Price price) {
        return switch (price) {
            case Price.Changed changed -> changed.change().label();
            case Price.Fixed fixed -> fixed.change().label();
        };
    }

    /** As a clause; null where there is none. */
    private static String obstacle(Price price) {
        return switch (price) {
            case Price.Changed _ -> null;
            case Price.Fixed fixed -> fixed.obstacle().text();
        };
    }
}
