package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Analysis;
import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.model.ModelPlan;
import dev.remat.cli.lsp.text.DocComment;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.reference.KnownFunction;
import dev.remat.compiler.reference.LanguageReference;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.Hover;
import org.eclipse.lsp4j.MarkupContent;
import org.eclipse.lsp4j.MarkupKind;

/** What is known of a name: its comment, what it stands for, and what the plan does with it. */
public final class HoverText {
    private final Document document;
    private final Optional<Analysis> analysis;
    private final Optional<ModelPlan> plan;
    private final NamesOfProgram program;
    private final List<String> parts = new ArrayList<>();

    private HoverText(
            Document document, Optional<Analysis> analysis, Optional<ModelPlan> plan, NamesOfProgram program) {
        this.document = document;
        this.analysis = analysis;
        this.plan = plan;
        this.program = program;
    }

    /**
     * Empty where no name stands.
     *
     * @param analysis of the same text, or one that includes it; empty for none
     */
    public static Optional<Hover> at(
            Document document, int offset, Optional<Analysis> analysis, Optional<ModelPlan> plan, Documents documents) {
        HoverText hover = new HoverText(document, analysis, plan, NamesOfProgram.seenBy(document, documents));
        return document.names().at(offset).flatMap(mention -> {
            hover.describe(mention);
            return hover.parts.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new Hover(
                            new MarkupContent(MarkupKind.MARKDOWN, String.join("\n\n", hover.parts)),
                            document.lines().range(mention)));
        });
    }

    private void describe(Mention mention) {
        switch (mention.role()) {
            case BINDING, READ -> {
                Optional<Found> found = program.resolve(document, mention);
                if (found.isPresent()) {
                    variable(mention, found.get());
                } else {
                    LanguageReference.builtin(mention.name()).ifPresent(this::function);
                    if (parts.isEmpty() && LanguageReference.CONSTANTS.contains(mention.name())) {
                        code(mention.name());
                    }
                }
                result(mention);
            }
            case ARGUMENT -> argument(mention);
            case CHOICE -> Callee.choice(mention).ifPresent(this::function);
            case SETTING -> code("train { " + mention.name() + " }");
            case TYPE -> code(mention.name());
            case ATTRIBUTE -> {}
        }
    }

    private void function(KnownFunction function) {
        code(function.signature());
        if (!function.summary().isEmpty()) {
            parts.add(function.summary());
        }
        if (function.ownsParameters()) {
            parts.add("A call owns parameters.");
        }
    }

    private void argument(Mention mention) {
        Optional<Callee> callee = mention.of().flatMap(of -> Callee.of(document, of, program));
        callee.flatMap(of -> of.arguments().stream()
                        .filter(each -> each.name().equals(mention.name()))
                        .findFirst())
                .ifPresent(each -> code(each.text()));
    }

    private void variable(Mention mention, Found found) {
        Variable variable = found.variable();
        Mention binding = found.document() == document
                ? variable.bindingBefore(mention.is(Role.BINDING) ? Integer.MAX_VALUE : mention.start())
                : variable.bindings().getFirst();
        if (mention.is(Role.BINDING)) {
            binding = mention;
        }
        Location place = found.document().location(binding.start());
        String kind = variable.kind().label();
        switch (variable.kind()) {
            case LAYER, MODEL, OPTIMIZER ->
                code(kind + " " + variable.name() + "("
                        + String.join(", ", variable.body().orElseThrow().parametersAsWritten()) + ")");
            case PARAMETER, HYPER_PARAMETER -> code(written(variable));
            case SYMBOL, INPUT, PARAM, BUFFER, LET, VALUE, LOOP, CALL -> code(kind + " " + variable.name());
        }
        String comment =
                DocComment.of(found.document(), variable.bindings().getFirst().start());
        if (!comment.isEmpty()) {
            parts.add(comment);
        }
        types(place);
        if (variable.kind() == Variable.Kind.MODEL) {
            plan.flatMap(ModelPlan::notes).ifPresent(notes -> parts.add(stale() + notes.summary()));
        } else {
            planned(variable.name(), place);
        }
    }

    private static String written(Variable parameter) {
        int index = parameter.scope().parameters().indexOf(parameter);
        return index < 0
                ? parameter.name()
                : parameter.scope().parametersAsWritten().get(index);
    }

    /** What a call makes where it stands. */
    private void result(Mention mention) {
        Location place = document.location(mention.start());
        boolean called = mention.is(Role.READ)
                && analysis.flatMap(each -> each.set(place)).isPresent();
        if (called) {
            int before = parts.size();
            types(place);
            if (parts.size() > before) {
                parts.set(before, "Makes " + parts.get(before));
            }
            planned(mention.name() + " at line " + place.line(), place);
        }
    }

    private void types(Location place) {
        analysis.ifPresent(read -> {
            Optional<String> symbolic = TypeText.symbolic(read, place);
            Optional<String> numbers = TypeText.numbers(read, place);
            symbolic.ifPresent(text -> parts.add("`" + text + "`"
                    + numbers.map(more -> more.startsWith(text + ", ")
                                    ? more.substring(text.length())
                                    : "  \nas set: `" + more.replaceFirst(", (?=[^,\\]]*$)", "`, "))
                            .map(more -> more.chars().filter(c -> c == '`').count() % 2 == 1 ? more + "`" : more)
                            .orElse("")));
        });
    }

    private void planned(String asked, Location place) {
        if (analysis.isEmpty()) {
            return;
        }
        List<String> names = analysis.get().valueNames(place);
        plan.flatMap(ModelPlan::notes)
                .flatMap(notes -> notes.explanation(asked, names))
                .ifPresent(text -> parts.add(stale() + "\n```text\n" + text + "\n```"));
    }

    private String stale() {
        return plan.filter(ModelPlan::stale).isPresent() ? "*Of the plan before the last change:* " : "";
    }

    private void code(String text) {
        parts.add("```remat\n" + text + "\n```");
    }
}
