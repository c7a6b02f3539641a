package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.model.PlanNotes;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Scope;
import dev.remat.cli.lsp.text.Variable;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.CodeLens;
import org.eclipse.lsp4j.Command;

/** A line above the model: what the plan takes. */
public final class PlanLens {
    /** The command that opens the page of a plan; its argument is the model's URI. */
    public static final String SHOW = "remat.showPlan";

    private PlanLens() {}

    public static List<CodeLens> of(Document document, Optional<ModelPlan> plan) {
        Scope file = document.names().file();
        return file.variables().stream()
                .filter(variable -> variable.kind() == Variable.Kind.MODEL)
                .findFirst()
                .flatMap(model -> plan.flatMap(PlanLens::title)
                        .map(title -> new CodeLens(
                                document.lines().range(model.bindings().getFirst()),
                                new Command(title, SHOW, List.of(document.uri())),
                                null)))
                .stream()
                .toList();
    }

    private static Optional<String> title(ModelPlan plan) {
        Optional<String> summary = plan.notes().map(PlanNotes::summary);
        if (summary.isPresent()) {
            return summary.map(text -> (plan.stale() ? "stale: " : "") + text + (plan.running() ? ", planning …" : ""));
        }
        return plan.running() ? Optional.of("planning …") : plan.complaint().map(why -> "no plan: " + why);
    }
}
