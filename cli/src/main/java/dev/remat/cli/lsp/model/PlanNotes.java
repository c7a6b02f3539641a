package dev.remat.cli.lsp.model;

import static dev.remat.cli.console.Format.percent;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.plan.PlanPage;
import dev.remat.cli.view.ValueText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.compiler.account.State;
import dev.remat.compiler.account.ValueFacts;
import dev.remat.ir.ValueId;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Value;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** What a plan does with the values of a model, in words for its margin. One thread at a time asks. */
public final class PlanNotes {
    private final PlanAccount account;
    private final List<Source> sources;
    private final Map<String, ValueId> byName = new LinkedHashMap<>();
    private final Map<List<String>, Optional<String>> hints = new LinkedHashMap<>();

    PlanNotes(Compilation compilation, List<Source> sources) {
        this.account = PlanAccount.of(compilation);
        this.sources = List.copyOf(sources);
        for (Value value : account.source().values()) {
            byName.put(value.name(), value.id());
        }
    }

    private List<ValueId> ids(List<String> names) {
        return names.stream()
                .filter(byName::containsKey)
                .map(byName::get)
                .distinct()
                .toList();
    }

    /** {@code 1.50 MiB kept}, {@code 12 × 1.50 MiB: 8 kept, 4 recomputed}; empty for what no plan decides. */
    public synchronized Optional<String> hint(List<String> names) {
        return hints.computeIfAbsent(names, this::describe);
    }

    private Optional<String> describe(List<String> names) {
        Map<State, Integer> states = new EnumMap<>(State.class);
        long bytes = 0;
        boolean same = true;
        for (ValueId id : ids(names)) {
            ValueFacts facts = account.unpriced(id);
            states.merge(facts.state(), 1, Integer::sum);
            same &= bytes == 0 || facts.bytes() == 0 || facts.bytes() == bytes;
            bytes = Math.max(bytes, facts.bytes());
        }
        if (states.isEmpty()) {
            return Optional.empty();
        }
        int all = states.values().stream().mapToInt(Integer::intValue).sum();
        String size = bytes == 0 ? "" : (same ? "" : "up to ") + ByteSize.format(bytes) + " ";
        if (states.size() == 1) {
            String label = states.keySet().iterator().next().label();
            return Optional.of((all == 1 ? "" : all + " × ") + size + label);
        }
        return Optional.of(all + " × " + size.strip() + ": "
                + states.entrySet().stream()
                        .map(each -> each.getValue() + " " + each.getKey().label())
                        .collect(Collectors.joining(", ")));
    }

    /** What {@code explain} says of the values, prices included; empty if the plan knows none of them. */
    public synchronized Optional<String> explanation(String asked, List<String> names) {
        List<ValueId> ids = ids(names);
        if (ids.isEmpty()) {
            return Optional.empty();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ValueText text = new ValueText(account, sources, new PrintStream(bytes, true, StandardCharsets.UTF_8));
        text.print(asked, ids);
        if (ids.size() > 1) {
            text.print(asked, List.of(ids.getFirst()));
        }
        // Whoever hovers has the file before his eyes.
        String file = sources.getFirst().file();
        String folder = file.substring(0, file.lastIndexOf('/') + 1);
        String whole = bytes.toString(StandardCharsets.UTF_8).stripTrailing();
        return Optional.of(folder.isEmpty() ? whole : whole.replace(folder, ""));
    }

    /** {@code arena 5.12 MiB of 6.00 MiB, 3.1 % of the time recomputed}. */
    public synchronized String summary() {
        Compilation plan = account.compilation();
        OptionalLong budget = plan.search().budgetBytes();
        return "arena " + ByteSize.format(plan.memory().arenaBytes())
                + (budget.isPresent() ? " of " + ByteSize.format(budget.getAsLong()) : "")
                + ", keeping all " + ByteSize.format(plan.search().keepAll().bytes())
                + ", "
                + percent(plan.recomputedShare())
                + (plan.costs().isTime() ? " of the time" : " of the cost") + " recomputed, by "
                + plan.sequence().strategy();
    }

    /** The page of {@code plan --html}, without other budgets. */
    public synchronized HtmlPage page() {
        return new PlanPage(account, List.of(), sources).page();
    }
}
