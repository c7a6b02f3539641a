package dev.remat.cli.lsp.answer;

import dev.remat.cli.lsp.text.Document;
import dev.remat.cli.lsp.text.Mention;
import dev.remat.cli.lsp.text.NameTable;
import dev.remat.cli.lsp.text.Scope;
import dev.remat.cli.lsp.text.Variable;
import dev.remat.compiler.syntax.SourceToken;
import dev.remat.compiler.syntax.SourceToken.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.lsp4j.DocumentSymbol;
import org.eclipse.lsp4j.FoldingRange;
import org.eclipse.lsp4j.FoldingRangeKind;
import org.eclipse.lsp4j.Range;
import org.eclipse.lsp4j.SymbolKind;

/** A text from afar: what it defines, one in the other, and what can be folded. */
public final class Outline {
    private Outline() {}

    public static List<DocumentSymbol> symbols(Document document) {
        return symbols(document, document.names().file());
    }

    private static List<DocumentSymbol> symbols(Document document, Scope scope) {
        List<DocumentSymbol> symbols = new ArrayList<>();
        for (Variable variable : scope.variables()) {
            if (!variable.name().equals("_")) {
                symbols.add(symbol(document, variable));
            }
        }
        return symbols;
    }

    private static DocumentSymbol symbol(Document document, Variable variable) {
        Mention first = variable.bindings().getFirst();
        Range name = document.lines().range(first);
        Optional<NameTable.Block> block = variable.body().isEmpty()
                ? Optional.empty()
                : document.names().blocks().stream()
                        .filter(each -> each.head() <= first.start() && first.end() <= each.start())
                        .reduce((outer, inner) -> inner);
        Range whole = block.map(each -> document.lines()
                        .range(each.head(), Math.min(document.text().length(), each.end() + 1)))
                .orElse(name);
        DocumentSymbol symbol = new DocumentSymbol(
                variable.name(),
                kind(variable.kind()),
                whole,
                name,
                variable.kind().label());
        variable.body().ifPresent(body -> symbol.setChildren(symbols(document, body)));
        return symbol;
    }

    private static SymbolKind kind(Variable.Kind kind) {
        return switch (kind) {
            case MODEL -> SymbolKind.Module;
            case LAYER, OPTIMIZER -> SymbolKind.Class;
            case PARAMETER, HYPER_PARAMETER, LOOP, VALUE -> SymbolKind.Variable;
            case SYMBOL -> SymbolKind.TypeParameter;
            case INPUT, PARAM, BUFFER -> SymbolKind.Field;
            case LET -> SymbolKind.Constant;
            case CALL -> SymbolKind.Object;
        };
    }

    /** Blocks of more than one line, and comments of more than one. */
    public static List<FoldingRange> folds(Document document) {
        List<FoldingRange> folds = new ArrayList<>();
        for (NameTable.Block block : document.names().blocks()) {
            int from = line(document, block.start());
            int to = line(document, Math.min(block.end(), document.text().length()));
            if (to > from) {
                folds.add(new FoldingRange(from, Math.max(from, to - 1)));
            }
        }
        int first = -1;
        int last = -2;
        for (SourceToken token : document.tokens()) {
            if (!token.is(Kind.COMMENT)) {
                continue;
            }
            int line = line(document, token.start());
            if (line != last + 1) {
                comment(first, last, folds);
                first = line;
            }
            last = line;
        }
        comment(first, last, folds);
        return folds;
    }

    private static void comment(int first, int last, List<FoldingRange> folds) {
        if (last > first && first >= 0) {
            FoldingRange fold = new FoldingRange(first, last);
            fold.setKind(FoldingRangeKind.Comment);
            folds.add(fold);
        }
    }

    private static int line(Document document, int offset) {
        return document.lines().position(offset).getLine();
    }
}
