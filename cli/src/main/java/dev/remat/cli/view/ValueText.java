package dev.remat.cli.view;

import static dev.remat.cli.report.Table.Side.LEFT;
import static dev.remat.cli.report.Table.Side.RIGHT;

import dev.remat.cli.chunk.ChunkText;
import dev.remat.cli.console.ByteSize;
import dev.remat.cli.report.Table;
import dev.remat.compiler.account.OffloadedTensor;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.Stay;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.compiler.account.ValueFacts.Recomputation;
import dev.remat.compiler.chunk.ChunkedLoss;
import dev.remat.compiler.plan.price.Price;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.execution.Section;
import dev.remat.ir.graph.Value;
import dev.remat.ir.target.CostModel;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** What a plan does with values, as people read it. */
public final class ValueText {
    private static final int MOST_ROWS = 8;
    private static final int LABEL = 12;
    private static final int NAME = 36;

    private final PlanAccount account;
    private final List<Source> sources;
    private final CostModel costs;
    private final PrintStream out;

    /** @param sources of the model, named as locations name them */
    public ValueText(PlanAccount account, List<Source> sources, PrintStream out) {
        this.account = account;
        this.sources = List.copyOf(sources);
        this.costs = account.compilation().costs();
        this.out = out;
    }

    /** One value whole, several as a list. */
    public void print(String asked, List<ValueId> found) {
        if (found.size() == 1) {
            print(account.value(found.getFirst()));
        } else {
            list(asked, found.stream().map(account::unpriced).toList());
        }
    }

    private void print(ValueFacts value) {
        out.println(value.value().name());
        row(
                "type",
                value.value().type() + (value.bytes() > 0 ? ", " + ByteSize.format(value.bytes()) + " in memory" : ""));
        row("made", made(value));
        sourceLine(value.location()).ifPresent(line -> out.println("    " + ViewText.fit(line, ViewText.COLUMNS - 4)));
        printChunks(value);
        row("state", state(value));
        printStays(value.stays());
        printMoves(value.moves());
        new ExchangeText(account, this::row).print(value.value().id());
        printConsumers(value.consumers());
        printPrice(value);
        out.flush();
    }

    /** Of what is as wide as the logits of a loss in chunks. */
    private void printChunks(ValueFacts value) {
        account.compilation().step().chunked().stream()
                .filter(loss -> isOf(loss, value) && 2 * value.bytes() >= loss.bytes())
                .forEach(loss -> row(
                        "chunk",
                        "of " + ByteSize.format(loss.bytes()) + " " + ChunkText.of(loss) + "; a step of whole losses"
                                + " needs at least "
                                + ByteSize.format(
                                        account.compilation().floorOfWhole().bytes())
                                + ", this one "
                                + ByteSize.format(
                                        account.compilation().search().floor().bytes())));
    }

    /** Whether it is of the line of the loss, or its logits, whose later chunks have numbers. */
    private static boolean isOf(ChunkedLoss loss, ValueFacts value) {
        String name = value.value().name();
        String chunk = name.startsWith(loss.name()) ? name.substring(loss.name().length()) : "other";
        return value.location().equals(loss.location()) || chunk.matches("(\\.\\d+)?");
    }

    /** Several values, one a line. */
    private void list(String asked, List<ValueFacts> values) {
        out.println(asked + " may be any of " + Count.of(values.size(), "value"));
        Table table = new Table("  ", LEFT, RIGHT, LEFT, LEFT);
        int shown = Math.min(values.size(), 5 * MOST_ROWS);
        List<ValueFacts> storedFirst = values.stream()
                .sorted(Comparator.comparing((ValueFacts value) -> value.bytes() == 0))
                .toList();
        for (ValueFacts value : storedFirst.subList(0, shown)) {
            table.row(
                    ViewText.fit(value.value().name(), NAME),
                    value.bytes() == 0 ? "" : ByteSize.format(value.bytes()),
                    value.state().label(),
                    ViewText.fit(ViewText.shortPlace(value.location()), 22));
        }
        table.print(out);
        if (shown < values.size()) {
            out.println("  and " + (values.size() - shown) + " more");
        }
        out.flush();
    }

    private void row(String label, String text) {
        List<String> lines = ViewText.wrap(text, ViewText.COLUMNS - 2 - LABEL);
        for (int i = 0; i < lines.size(); i++) {
            String start = i == 0 ? label : "";
            out.println("  " + start + " ".repeat(LABEL - start.length()) + lines.get(i));
        }
    }

    private String made(ValueFacts value) {
        String place = ViewText.place(value.location());
        String time = value.cost().isPresent()
                ? " in " + ViewText.time(costs, value.cost().getAsLong())
                : "";
        return (value.producer().equals("input") ? "an input of the step" : "by " + value.producer() + time)
                + (value.scope().isEmpty() ? "" : ", layer " + value.scope())
                + (place.isEmpty() ? "" : ", " + place);
    }

    private Optional<String> sourceLine(Location location) {
        return sources.stream()
                .filter(source -> source.file().equals(location.file()))
                .map(source ->
                        location.line() + " | " + source.line(location.line()).strip())
                .findFirst();
    }

    private static String state(ValueFacts value) {
        String why = value.reason()
                .map(reason -> ": " + ReasonText.of(reason) + " (" + reason + ")")
                .orElse("");
        return switch (value.state()) {
            case RESIDENT ->
                "in memory throughout"
                        + (value.stays().isEmpty()
                                ? ""
                                : ", as " + value.stays().getFirst().kind().label());
            case BELOW -> "lives below the arena, and comes for its readers and its update";
            case MOVED -> "moved below the arena and fetched for the backward pass";
            case KEPT -> "kept for the backward pass" + why;
            case RECOMPUTED ->
                "recomputed " + times(value.recomputations())
                        + value.reason()
                                .map(reason -> ", and held in between: " + ReasonText.of(reason))
                                .orElse("");
            case FREED -> "freed before the backward pass, which needs nothing of it";
            case OUTPUT -> "an output of the step: in memory to its end";
            case BACKWARD -> "made by the " + value.role().label() + ", and freed when its last reader has run";
            case FUSED ->
                value.storage()
                        .map(kernel ->
                                "never in memory: computed and read inside the kernel that makes " + kernel.name())
                        .orElse("never in memory: each reader computes it for itself");
            case VIEW -> "in the storage of " + value.storage().orElseThrow().name() + ", which explains the rest";
        };
    }

    private static String times(int count) {
        return count == 1 ? "once" : count == 2 ? "twice" : count + " times";
    }

    private void printStays(List<Stay> stays) {
        int steps = account.stepCount();
        for (Stay stay : stays.subList(0, Math.min(MOST_ROWS, stays.size()))) {
            String when = stay.first() == stay.last()
                    ? "at step " + stay.first()
                    : "steps " + stay.first() + " to " + stay.last();
            row(
                    stay.equals(stays.getFirst()) ? "in memory" : "",
                    when + " of " + steps + rounds(stay) + ", at byte " + stay.offset()
                            + (stay.again() ? ", computed again" : ""));
        }
        if (stays.size() > MOST_ROWS) {
            row("", "and " + (stays.size() - MOST_ROWS) + " more times");
        }
    }

    /** Of what is not in memory throughout, how often it comes. */
    private String rounds(Stay stay) {
        Section section = account.compilation().plan().section(stay.first());
        return section.times() > 1 && section.contains(stay.last()) ? ", " + section.times() + " times" : "";
    }

    private void printMoves(List<OffloadedTensor> moves) {
        for (OffloadedTensor move : moves.subList(0, Math.min(MOST_ROWS, moves.size()))) {
            String out = move.storedAfter()
                    .map(after -> "to the " + move.place() + " behind " + after.name() + ", back")
                    .orElse("from the " + move.place());
            row(
                    move.equals(moves.getFirst()) ? "moved" : "",
                    out + " ahead of " + move.fetchedBefore().name() + ": "
                            + (move.exposedNanos() == 0
                                    ? "no kernel waits"
                                    : "kernels wait " + ViewText.time(costs, move.exposedNanos())));
            row(
                    "",
                    ViewText.time(costs, move.laneNanos()) + " in lanes, of " + ViewText.time(costs, move.awayNanos())
                            + " until it is read");
        }
        if (moves.size() > MOST_ROWS) {
            row("", "and " + (moves.size() - MOST_ROWS) + " more times");
        }
    }

    private void printConsumers(List<ValueFacts.Consumer> consumers) {
        if (consumers.isEmpty()) {
            row("read by", "nothing");
            return;
        }
        Table table = new Table("", LEFT, LEFT, LEFT);
        consumers.stream()
                .limit(MOST_ROWS)
                .forEach(each -> table.row(
                        ViewText.fit(each.value().name(), NAME),
                        ViewText.fit(each.op(), 17),
                        each.role().label()));
        List<String> lines = table.lines();
        for (int i = 0; i < lines.size(); i++) {
            out.println("  " + (i == 0 ? "read by     " : " ".repeat(LABEL)) + lines.get(i));
        }
        if (consumers.size() > MOST_ROWS) {
            row("", "and " + (consumers.size() - MOST_ROWS) + " more");
        }
    }

    private void printPrice(ValueFacts value) {
        value.price().ifPresent(price -> printPrice(price, value));
        value.instead().ifPresent(price -> printPrice(price, value));
        if (value.state() == State.RECOMPUTED) {
            value.recomputation().ifPresent(chain -> row("again by", chain(chain)));
        }
    }

    private void printPrice(Price price, ValueFacts value) {
        switch (price) {
            case Price.Fixed fixed ->
                row(label(fixed.change()), "not possible: " + fixed.obstacle().text());
            case Price.Changed changed -> printChange(changed, value);
        }
    }

    private void printChange(Price.Changed changed, ValueFacts value) {
        row(
                label(changed.change()),
                ViewText.timeChange(costs, changed.cost()) + " and " + ViewText.peakChange(changed.peakBytes())
                        + inBudget(changed));
        List<Value> removed = changed.removed().stream().map(account::made).toList();
        switch (changed.change()) {
            case DROP -> {
                value.recomputation().ifPresent(chain -> row("", chain(chain)));
                if (!removed.isEmpty()) {
                    row("", "and not before: " + names(removed));
                }
            }
            case KEEP -> {
                if (!removed.isEmpty()) {
                    row("", "without running again " + names(removed));
                }
            }
        }
    }

    /** What a budget says of the change, where there is one. */
    private String inBudget(Price.Changed changed) {
        return account.fitsBudget(changed)
                .map(fits -> fits ? ", within the budget" : ", beyond the budget")
                .orElse("");
    }

    private static String label(Price.Change change) {
        return switch (change) {
            case DROP -> "if dropped";
            case KEEP -> "if kept";
        };
    }

    private static String chain(Recomputation chain) {
        return "running " + names(chain.runs()) + (chain.from().isEmpty() ? "" : " from " + names(chain.from()));
    }

    /** The first and the last of many. */
    private static String names(List<Value> values) {
        List<String> names = values.stream().map(Value::name).toList();
        return names.size() <= MOST_ROWS
                ? String.join(", ", names)
                : String.join(", ", names.subList(0, MOST_ROWS / 2)) + ", … (" + (names.size() - MOST_ROWS)
                        + " more) …, " + String.join(", ", names.subList(names.size() - MOST_ROWS / 2, names.size()));
    }
}
