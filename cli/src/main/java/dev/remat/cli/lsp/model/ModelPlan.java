package dev.remat.cli.lsp.model;

import dev.remat.cli.lsp.text.Document;
import dev.remat.ir.diagnostic.Diagnostic;
import java.util.List;
import java.util.Optional;

/**
 * How planning a text has ended so far.
 *
 * @param of the text that was planned
 * @param notes of the last plan that there is, which may be of an earlier text
 * @param stale whether it is
 * @param running whether a search goes on
 * @param findings of the model that only planning comes by
 * @param complaint why there is no plan, if so
 */
public record ModelPlan(
        Document of,
        Optional<PlanNotes> notes,
        boolean stale,
        boolean running,
        List<Diagnostic> findings,
        Optional<String> complaint) {
    public ModelPlan {
        findings = List.copyOf(findings);
    }

    static ModelPlan none(Document document) {
        return new ModelPlan(document, Optional.empty(), false, false, List.of(), Optional.empty());
    }

    /** While the text has gone on. */
    ModelPlan behind(Document document, boolean plansAgain) {
        return new ModelPlan(document, notes, notes.isPresent(), plansAgain, List.of(), Optional.empty());
    }

    ModelPlan with(PlanNotes made, boolean goesOn) {
        return new ModelPlan(of, Optional.of(made), false, goesOn, List.of(), Optional.empty());
    }

    ModelPlan failed(String why) {
        return new ModelPlan(of, notes, notes.isPresent(), false, List.of(), Optional.of(why));
    }

    ModelPlan failed(List<Diagnostic> found) {
        return new ModelPlan(of, notes, notes.isPresent(), false, found, Optional.empty());
    }
}
