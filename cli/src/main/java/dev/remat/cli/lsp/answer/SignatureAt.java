package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.CursorCall;
import dev.remat.cli.lsp.text.Document;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.MarkupContent;
import org.eclipse.lsp4j.MarkupKind;
import org.eclipse.lsp4j.ParameterInformation;
import org.eclipse.lsp4j.SignatureHelp;
import org.eclipse.lsp4j.SignatureInformation;

/** The arguments of the call around the cursor, and which of them is being written. */
public final class SignatureAt {
    private SignatureAt() {}

    /** Empty outside of calls, and of what is not known. */
    public static Optional<SignatureHelp> of(Document document, int offset, Documents documents) {
        NamesOfProgram program = NamesOfProgram.seenBy(document, documents);
        return CursorCall.at(document, offset)
                .flatMap(call -> Callee.of(document, call, program).map(callee -> help(call, callee)));
    }

    private static SignatureHelp help(CursorCall call, Callee callee) {
        SignatureInformation signature = new SignatureInformation(callee.signature());
        signature.setParameters(callee.arguments().stream()
                .map(argument -> new ParameterInformation(argument.text()))
                .toList());
        if (!callee.comment().isEmpty()) {
            signature.setDocumentation(new MarkupContent(MarkupKind.MARKDOWN, callee.comment()));
        }
        List<String> names =
                callee.arguments().stream().map(Callee.Argument::name).toList();
        int active = call.label().map(names::indexOf).orElse(call.argument() + (call.piped() ? 1 : 0));
        SignatureHelp help = new SignatureHelp();
        help.setSignatures(List.of(signature));
        help.setActiveSignature(0);
        // Beyond the last, editors mark none.
        help.setActiveParameter(active < 0 ? names.size() : active);
        return help;
    }
}
