package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.text.CursorCall;
import dev.remat.cli.lsp.text.DocComment;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.Mention.Role;
import dev.remat.compiler.reference.KnownFunction;
import dev.remat.compiler.reference.LanguageReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a call calls: a layer of the program, a builtin, a choice of a setting. */
record Callee(String name, List<Argument> arguments, String comment) {
    /** @param text with its type and default, as far as they are said */
    record Argument(String name, String text) {}

    Callee {
        arguments = List.copyOf(arguments);
    }

    /** Empty for what is not known. */
    static Optional<Callee> of(Document document, CursorCall call, NamesOfProgram program) {
        int start = call.callee().start();
        return document.names().mentions().stream()
                .filter(mention -> mention.start() == start)
                .findFirst()
                .flatMap(mention -> of(document, mention, program))
                .or(() -> LanguageReference.builtin(call.callee().text()).map(Callee::of));
    }

    static Optional<Callee> of(Document document, Mention mention, NamesOfProgram program) {
        if (mention.is(Role.CHOICE)) {
            return choice(mention).map(Callee::of);
        }
        if (!mention.is(Role.READ)) {
            return Optional.empty();
        }
        Optional<Found> found = program.resolve(document, mention);
        return found.isPresent()
                ? found.flatMap(Callee::of)
                : LanguageReference.builtin(mention.name()).map(Callee::of);
    }

    static Optional<KnownFunction> choice(Mention mention) {
        return LanguageReference.choices(mention.setting()).stream()
                .filter(each -> each.name().equals(mention.name()))
                .findFirst();
    }

    static Callee of(KnownFunction function) {
        return new Callee(
                function.name(),
                function.arguments().stream()
                        .map(each -> new Argument(each.name(), each.text()))
                        .toList(),
                function.summary());
    }

    private static Optional<Callee> of(Found layer) {
        return layer.variable().body().map(body -> {
            List<Argument> arguments = new ArrayList<>();
            for (int i = 0; i < body.parameters().size(); i++) {
                arguments.add(new Argument(
                        body.parameters().get(i).name(),
                        body.parametersAsWritten().get(i)));
            }
            String comment = DocComment.of(
                    layer.document(), layer.variable().bindings().getFirst().start());
            return new Callee(layer.variable().name(), arguments, comment);
        });
    }

    String signature() {
        return name + "("
                + String.join(", ", arguments.stream().map(Argument::text).toList()) + ")";
    }
}
