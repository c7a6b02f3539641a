package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.model.Documents;
import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.compiler.reference.LanguageReference;
import dev.remat.compiler.syntax.SourceToken;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.lsp4j.Position;
import org.eclipse.lsp4j.SemanticTokensLegend;

/** What the tokens of a text mean, as editors colour them. */
public final class TokenTypes {
    /** Types and marks, by whose numbers tokens are told. */
    public static final SemanticTokensLegend LEGEND = new SemanticTokensLegend(
            List.of(
                    "keyword",
                    "comment",
                    "string",
                    "number",
                    "operator",
                    "class",
                    "function",
                    "parameter",
                    "variable",
                    "property",
                    "type",
                    "typeParameter",
                    "enumMember",
                    "namespace"),
            List.of("declaration", "readonly", "defaultLibrary"));

    private static final int DECLARATION = 1;
    private static final int READONLY = 2;
    private static final int LIBRARY = 4;

    private final Document document;
    private final NamesOfProgram program;
    private final List<Integer> data = new ArrayList<>();
    private Position previous = new Position(0, 0);

    private TokenTypes(Document document, Documents documents) {
        this.document = document;
        this.program = NamesOfProgram.seenBy(document, documents);
    }

    /** Five numbers a token, as the protocol wants them. */
    public static List<Integer> of(Document document, Documents documents) {
        TokenTypes types = new TokenTypes(document, documents);
        types.run();
        return types.data;
    }

    private void run() {
        Map<Integer, Mention> mentions = new LinkedHashMap<>();
        document.names().mentions().forEach(mention -> mentions.put(mention.start(), mention));
        for (SourceToken token : document.tokens()) {
            switch (token.kind()) {
                case WORD -> add(token, "keyword", 0);
                case COMMENT -> add(token, "comment", 0);
                case STRING -> add(token, "string", 0);
                case NUMBER -> add(token, "number", 0);
                case NAME -> name(token, Optional.ofNullable(mentions.get(token.start())));
                case SIGN, END, STRAY -> {}
            }
        }
    }

    private void name(SourceToken token, Optional<Mention> mention) {
        if (mention.isEmpty()) {
            // "buffer" is a word where its statement begins.
            add(token, token.text().equals("_") ? "variable" : "keyword", 0);
            return;
        }
        switch (mention.get().role()) {
            case BINDING, READ -> variable(token, mention.get());
            case ARGUMENT -> add(token, "parameter", 0);
            case ATTRIBUTE -> add(token, "property", 0);
            case TYPE -> add(token, "type", LIBRARY);
            case SETTING -> add(token, "property", LIBRARY);
            case CHOICE -> add(token, "function", LIBRARY);
        }
    }

    private void variable(SourceToken token, Mention mention) {
        int marks = mention.is(Mention.Role.BINDING) ? DECLARATION : 0;
        Optional<Found> found = program.resolve(document, mention);
        if (found.isEmpty()) {
            boolean constant = LanguageReference.CONSTANTS.contains(token.text());
            boolean dtype = LanguageReference.dtypes().contains(token.text());
            boolean known = LanguageReference.builtin(token.text()).isPresent();
            add(
                    token,
                    constant ? "enumMember" : dtype ? "type" : known ? "function" : "variable",
                    constant || dtype || known ? LIBRARY : 0);
            return;
        }
        switch (found.get().variable().kind()) {
            case MODEL -> add(token, "namespace", marks);
            case LAYER, OPTIMIZER -> add(token, "class", marks);
            case PARAMETER, HYPER_PARAMETER -> add(token, "parameter", marks | READONLY);
            case SYMBOL -> add(token, "typeParameter", marks | READONLY);
            case INPUT, PARAM, BUFFER -> add(token, "property", marks | READONLY);
            case LET -> add(token, "variable", marks | READONLY);
            case VALUE, LOOP -> add(token, "variable", marks);
            case CALL -> add(token, "namespace", marks);
        }
    }

    private void add(SourceToken token, String type, int marks) {
        Position start = document.lines().position(token.start());
        int line = start.getLine() - previous.getLine();
        data.add(line);
        data.add(line == 0 ? start.getCharacter() - previous.getCharacter() : start.getCharacter());
        data.add(token.end() - token.start());
        data.add(LEGEND.getTokenTypes().indexOf(type));
        data.add(marks);
        previous = start;
    }
}
