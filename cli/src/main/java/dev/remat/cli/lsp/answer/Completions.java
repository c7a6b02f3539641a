package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.CursorCall;
import dev.remat.cli.lsp.text.DocComment;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.LineContext;
import dev.remat.cli.lsp.text.Scope;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.reference.KnownFunction;
import dev.remat.compiler.reference.LanguageReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.lsp4j.CompletionItem;
import org.eclipse.lsp4j.CompletionItemKind;
import org.eclipse.lsp4j.InsertTextFormat;
import org.eclipse.lsp4j.MarkupContent;
import org.eclipse.lsp4j.MarkupKind;

/** What may stand where the cursor is, by the text before it: the rest of the text may be anything. */
public final class Completions {
    private static final List<String> DECLARATIONS = List.of("include", "layer", "model", "optimizer", "train");
    private static final List<String> STATEMENTS = List.of(
            "symbol",
            "input",
            "param",
            "buffer",
            "chunks",
            "stage",
            "output",
            "let",
            "layer",
            "return",
            "repeat",
            "for",
            "if",
            "retain",
            "recompute",
            "segments",
            "offload");
    private static final List<String> IN_EXPRESSIONS = List.of(
            "if", "then", "else", "not", "and", "or", "as", "in", "retain", "recompute", "offload", "true", "false");

    private final Document document;
    private final int offset;
    private final Scope scope;
    private final NamesOfProgram program;
    private final boolean snippets;
    private final List<CompletionItem> items = new ArrayList<>();
    private final Set<String> offered = new LinkedHashSet<>();

    private Completions(Document document, int offset, Documents documents, boolean snippets) {
        this.document = document;
        this.offset = offset;
        this.scope = document.names().scopeAt(offset);
        this.program = NamesOfProgram.seenBy(document, documents);
        this.snippets = snippets;
    }

    /** @param snippets whether the editor goes on inside what it inserts */
    public static List<CompletionItem> at(Document document, int offset, Documents documents, boolean snippets) {
        Completions completions = new Completions(document, offset, documents, snippets);
        completions.complete(LineContext.at(document, offset), documents);
        return completions.items;
    }

    private void complete(LineContext context, Documents documents) {
        switch (context) {
            case LineContext.Comment _ -> {}
            case LineContext.IncludePath _ -> includes(documents);
            case LineContext.Attribute _ -> members();
            case LineContext.TensorDtype _ -> words(LanguageReference.dtypes(), CompletionItemKind.TypeParameter);
            case LineContext.TypeOfParameter _ ->
                words(LanguageReference.parameterTypes(), CompletionItemKind.TypeParameter);
            case LineContext.Choice(String setting) -> {
                LanguageReference.choices(setting).forEach(this::function);
                scope.visible(offset).stream()
                        .filter(variable -> variable.kind() == Variable.Kind.OPTIMIZER && setting.equals("optimizer"))
                        .forEach(variable -> layer(document, variable));
                if (List.of("precision", "gradients").contains(setting)) {
                    words(List.of("f32", "bf16", "f16"), CompletionItemKind.TypeParameter);
                } else if (setting.equals("loss_scale")) {
                    words(List.of("none"), CompletionItemKind.Constant);
                } else if (setting.equals("sums")) {
                    words(List.of("by_micro_batch", "by_use"), CompletionItemKind.Constant);
                }
                if (LanguageReference.choices(setting).isEmpty()) {
                    names();
                }
            }
            case LineContext.Setting _ -> words(LanguageReference.settings(), CompletionItemKind.Property);
            case LineContext.Declaration _ -> words(DECLARATIONS, CompletionItemKind.Keyword);
            case LineContext.NewName _ -> {}
            case LineContext.Statement _ -> {
                words(STATEMENTS, CompletionItemKind.Keyword);
                names();
            }
            case LineContext.Expression _ -> {
                arguments();
                names();
                LanguageReference.builtins().forEach(this::function);
                words(LanguageReference.CONSTANTS, CompletionItemKind.Constant);
                words(LanguageReference.dtypes(), CompletionItemKind.TypeParameter);
                words(IN_EXPRESSIONS, CompletionItemKind.Keyword);
            }
        }
    }

    private Optional<CompletionItem> add(String label, CompletionItemKind kind, String detail, String order) {
        if (!offered.add(label)) {
            return Optional.empty();
        }
        CompletionItem item = new CompletionItem(label);
        item.setKind(kind);
        item.setDetail(detail.isEmpty() ? null : detail);
        item.setSortText(order + label);
        items.add(item);
        return Optional.of(item);
    }

    private void words(List<String> words, CompletionItemKind kind) {
        words.forEach(word -> add(word, kind, "", "4"));
    }

    /** Arguments that the call around the cursor has not been given yet. */
    private void arguments() {
        Optional<CursorCall> call = CursorCall.at(document, offset);
        if (call.isEmpty() || call.get().label().isPresent()) {
            return;
        }
        Callee.of(document, call.get(), program).ifPresent(callee -> {
            List<Callee.Argument> arguments = callee.arguments();
            int given = call.get().argument() + (call.get().piped() ? 1 : 0);
            for (int i = 0; i < arguments.size(); i++) {
                Callee.Argument argument = arguments.get(i);
                if (i >= given && !call.get().labels().contains(argument.name())) {
                    add(argument.name() + " =", CompletionItemKind.Field, argument.text(), "0" + (char) ('a' + i % 26))
                            .ifPresent(item -> {
                                item.setFilterText(argument.name());
                                item.setInsertText(argument.name() + " = ");
                            });
                }
            }
        });
    }

    private void names() {
        scope.visible(offset).stream()
                .filter(variable -> !variable.name().equals("_"))
                .forEach(this::name);
        program.layers().forEach(layer -> layer(layer.document(), layer.variable()));
    }

    private void name(Variable variable) {
        if (variable.kind() == Variable.Kind.LAYER) {
            layer(document, variable);
        } else if (variable.kind() != Variable.Kind.MODEL && variable.kind() != Variable.Kind.OPTIMIZER) {
            add(variable.name(), kind(variable.kind()), variable.kind().label(), "1");
        }
    }

    private static CompletionItemKind kind(Variable.Kind kind) {
        return switch (kind) {
            case MODEL, LAYER, OPTIMIZER, CALL -> CompletionItemKind.Class;
            case PARAMETER, HYPER_PARAMETER -> CompletionItemKind.Variable;
            case SYMBOL -> CompletionItemKind.TypeParameter;
            case INPUT, PARAM, BUFFER -> CompletionItemKind.Field;
            case LET -> CompletionItemKind.Constant;
            case VALUE, LOOP -> CompletionItemKind.Variable;
        };
    }

    private void layer(Document of, Variable layer) {
        List<String> parameters = layer.body().map(Scope::parametersAsWritten).orElse(List.of());
        add(
                        layer.name(),
                        CompletionItemKind.Class,
                        "layer " + layer.name() + "(" + String.join(", ", parameters) + ")",
                        "2")
                .ifPresent(item -> {
                    String comment =
                            DocComment.of(of, layer.bindings().getFirst().start());
                    if (!comment.isEmpty()) {
                        item.setDocumentation(new MarkupContent(MarkupKind.MARKDOWN, comment));
                    }
                    call(item, !parameters.isEmpty());
                });
    }

    private void function(KnownFunction function) {
        add(function.name(), CompletionItemKind.Function, function.signature(), "3")
                .ifPresent(item -> {
                    if (!function.summary().isEmpty()) {
                        item.setDocumentation(new MarkupContent(MarkupKind.MARKDOWN, function.summary()));
                    }
                    call(item, !function.arguments().isEmpty());
                });
    }

    private void call(CompletionItem item, boolean takes) {
        boolean called = offset < document.text().length() && document.text().charAt(offset) == '(';
        if (snippets && takes && !called) {
            item.setInsertText(item.getLabel() + "($0)");
            item.setInsertTextFormat(InsertTextFormat.Snippet);
        }
    }

    /** Parameters that calls and layers are seen to have. */
    private void members() {
        words(List.of("weight", "bias"), CompletionItemKind.Field);
        for (Document each : program.documents()) {
            each.names().scopes().stream()
                    .flatMap(inside -> inside.variables().stream())
                    .filter(variable -> variable.kind() == Variable.Kind.PARAM
                            || variable.kind() == Variable.Kind.BUFFER
                            || variable.kind() == Variable.Kind.CALL)
                    .forEach(variable -> add(
                            variable.name(),
                            kind(variable.kind()),
                            variable.kind().label(),
                            "1"));
        }
    }

    private void includes(Documents documents) {
        Optional<Path> own = document.path();
        for (Path model : documents.models(document)) {
            if (own.isPresent() && model.startsWith(own.get().getParent()) && !model.equals(own.get())) {
                String path = own.get().getParent().relativize(model).toString();
                add(path, CompletionItemKind.File, "", "1");
            }
        }
    }
}
