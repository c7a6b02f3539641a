package dev.remat.cli.page.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.remat.cli.page.HtmlPage;
import dev.remat.cli.page.PageLibrary;
import dev.remat.cli.view.ReasonText;
import dev.remat.cli.view.ViewText;
import dev.remat.compiler.Compilation;
import dev.remat.compiler.account.PlanAccount;
import dev.remat.ir.diagnostic.Source;
import dev.remat.ir.graph.Role;
import dev.remat.ir.json.JsonFields;
import dev.remat.ir.plan.RetainReason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A plan to look at: what is in memory when, why, at what price, and what other budgets would do.
 *
 * @param account of the plan that was asked for
 * @param others plans of the same step, for other budgets
 * @param sources the files that the model was read from
 */
public record PlanPage(PlanAccount account, List<Compilation> others, List<Source> sources) {
    private record Shown(PlanAccount account, boolean chosen) {}

    public PlanPage {
        others = List.copyOf(others);
        sources = List.copyOf(sources);
    }

    public HtmlPage page() {
        return new HtmlPage(title(), "plan.js", List.of(PageLibrary.D3, PageLibrary.DAGRE), this::write);
    }

    private String title() {
        return ViewText.title(account.compilation());
    }

    private void write(JsonGenerator out) throws IOException {
        ValueColumns values = new ValueColumns(account);
        out.writeStringField("title", title());
        out.writeBooleanField("time", account.compilation().costs().isTime());
        PlanColumns.writeNames(out);
        JsonFields.array(out, "phases", List.of(Role.values()), role -> out.writeString(role.label()));
        out.writeObjectFieldStart("reasons");
        for (RetainReason reason : RetainReason.values()) {
            out.writeStringField(reason.label(), ReasonText.of(reason.label()));
        }
        out.writeStringField("needed", ReasonText.of("needed"));
        out.writeEndObject();
        JsonFields.objects(out, "sources", sources, source -> {
            out.writeStringField("file", source.file());
            out.writeStringField("text", source.text());
        });
        values.write(out);
        values.writeInputs(out);
        // Most of the time goes into what is worked out of each plan.
        List<PlanColumns> plans = largestFirst().parallelStream()
                .map(each -> new PlanColumns(each.account(), values, each.chosen()))
                .toList();
        JsonFields.array(out, "plans", plans, each -> each.write(out));
        new PriceColumns(account).write(out);
    }

    /** The plan that was asked for stands in for another of the same steps. */
    private List<Shown> largestFirst() {
        List<Shown> all = new ArrayList<>(List.of(new Shown(account, true)));
        all.addAll(others.parallelStream()
                .filter(other ->
                        !other.sequence().sameSteps(account.compilation().sequence()))
                .map(other -> new Shown(PlanAccount.of(other, account.link()), false))
                .toList());
        all.sort(Comparator.comparingLong(
                each -> -each.account().compilation().memory().arenaBytes()));
        return all;
    }
}
