package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.cli.lsp.text.NameTable;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.lsp4j.InlayHint;
import org.eclipse.lsp4j.InlayHintKind;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.jsonrpc.messages.Either;

/** Shapes behind names that get a value, and at the end of their lines what the plan does with it. */
public final class Hints {
    private final Document document;
    private final Analysis analysis;
    private final Optional<ModelPlan> plan;
    private final List<InlayHint> hints = new ArrayList<>();
    private final Map<Position, Set<String>> margin = new LinkedHashMap<>();

    private Hints(Document document, Analysis analysis, Optional<ModelPlan> plan) {
        this.document = document;
        this.analysis = analysis;
        this.plan = plan;
    }

    /** @param analysis of the same text, or of one that includes it */
    public static List<InlayHint> in(Range range, Document document, Analysis analysis, Optional<ModelPlan> plan) {
        Hints hints = new Hints(document, analysis, plan);
        NameTable names = document.names();
        int from = document.lines().offset(range.getStart());
        int to = document.lines().offset(range.getEnd());
        for (Mention mention : names.mentions()) {
            if (mention.is(Role.BINDING) && from <= mention.start() && mention.end() <= to) {
                names.resolve(mention).ifPresent(variable -> hints.add(mention, variable));
            }
        }
        hints.margin();
        return hints.hints;
    }

    private void add(Mention mention, Variable variable) {
        Location place = document.location(mention.start());
        switch (variable.kind()) {
            case VALUE, LOOP, PARAMETER -> {
                boolean tensor = analysis.set(place)
                        .filter(facts -> !facts.types().isEmpty())
                        .isPresent();
                if (tensor) {
                    TypeText.symbolic(analysis, place).ifPresent(type -> {
                        InlayHint hint =
                                new InlayHint(document.lines().position(mention.end()), Either.forLeft(": " + type));
                        hint.setKind(InlayHintKind.Type);
                        TypeText.numbers(analysis, place).ifPresent(numbers -> hint.setTooltip(numbers));
                        hints.add(hint);
                    });
                }
                planned(mention, place, variable);
            }
            case INPUT, PARAM, BUFFER -> planned(mention, place, variable);
            case MODEL, LAYER, OPTIMIZER, HYPER_PARAMETER, SYMBOL, LET, CALL -> {}
        }
    }

    private void planned(Mention mention, Location place, Variable variable) {
        // What comes in is told where it is made; a parameter may get another value, which is made here.
        boolean comesIn = variable.kind() == Variable.Kind.PARAMETER
                && mention.equals(variable.bindings().getFirst());
        if (comesIn) {
            return;
        }
        plan.flatMap(ModelPlan::notes)
                .flatMap(notes -> notes.hint(analysis.valueNames(place)))
                .ifPresent(text -> margin.computeIfAbsent(endOfLine(mention), _ -> new LinkedHashSet<>())
                        .add(text));
    }

    /** One hint a line, whatever is bound there. */
    private void margin() {
        boolean stale = plan.filter(ModelPlan::stale).isPresent();
        margin.forEach((end, texts) -> {
            InlayHint hint = new InlayHint(end, Either.forLeft((stale ? "stale: " : "") + String.join(" · ", texts)));
            hint.setPaddingLeft(true);
            hint.setTooltip(
                    stale ? "of the plan before the last change" : "in the plan; hover over the name tells why");
            hints.add(hint);
        });
    }

    private Position endOfLine(Mention mention) {
        int end = mention.end();
        String text = document.text();
        while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
            end++;
        }
        return document.lines().position(end);
    }
}
