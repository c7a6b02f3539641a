package dev.remat.compiler.syntax;

import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.compiler.syntax.grammar.RematParser;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.List;
import org.antlr.v4.runtime.DefaultErrorStrategy;
import org.antlr.v4.runtime.FailedPredicateException;
import org.antlr.v4.runtime.InputMismatchException;
import org.antlr.v4.runtime.NoViableAltException;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.RecognitionException;
import org.antlr.v4.runtime.RuleContext;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.misc.IntervalSet;

/** Says in the language's own words what was expected, and lets the parser go on after an error. */
final class Recovery extends DefaultErrorStrategy {
    private final TokenLocations locations;
    private final Diagnostics diagnostics;

    Recovery(TokenLocations locations, Diagnostics diagnostics) {
        this.locations = locations;
        this.diagnostics = diagnostics;
    }

    @Override
    protected void reportNoViableAlternative(Parser parser, NoViableAltException e) {
        boolean atStart = e.getOffendingToken().equals(e.getStartToken());
        report(e.getOffendingToken(), atStart ? parser.getExpectedTokens() : new IntervalSet());
    }

    @Override
    protected void reportInputMismatch(Parser parser, InputMismatchException e) {
        report(e.getOffendingToken(), e.getExpectedTokens());
    }

    @Override
    protected void reportFailedPredicate(Parser parser, FailedPredicateException e) {
        report(e.getOffendingToken(), new IntervalSet());
    }

    @Override
    protected void reportUnwantedToken(Parser parser) {
        if (!inErrorRecoveryMode(parser)) {
            beginErrorCondition(parser);
            report(parser.getCurrentToken(), getExpectedTokens(parser));
        }
    }

    @Override
    protected void reportMissingToken(Parser parser) {
        reportUnwantedToken(parser);
    }

    /** Goes on at the end of the line, past whole blocks, or at the block of the statement whose head is in error. */
    @Override
    public void recover(Parser parser, RecognitionException e) {
        boolean inHead = isHead(parser.getContext());
        int depth = 0;
        while (true) {
            int type = parser.getInputStream().LA(1);
            boolean stops =
                    type == RematLexer.NEWLINE || type == RematLexer.RBRACE || type == RematLexer.LBRACE && inHead;
            if (type == Token.EOF || depth == 0 && stops) {
                return;
            }
            depth += type == RematLexer.LBRACE ? 1 : type == RematLexer.RBRACE ? -1 : 0;
            parser.consume();
        }
    }

    private static boolean isHead(RuleContext context) {
        return switch (context) {
            case null -> false;
            case RematParser.BlockContext block -> false;
            case RematParser.SettingsContext settings -> false;
            case RematParser.SettingContext setting -> true;
            case RematParser.ModelContext model -> true;
            case RematParser.LayerDefinitionContext layer -> true;
            case RematParser.RepeatContext repeat -> true;
            case RematParser.ForContext loop -> true;
            case RematParser.IfContext choice -> true;
            case RematParser.SegmentsContext segments -> true;
            case RematParser.ChunksContext chunks -> true;
            default -> isHead(context.parent);
        };
    }

    @Override
    protected Token singleTokenDeletion(Parser parser) {
        int type = parser.getInputStream().LA(1);
        boolean structural = type == RematLexer.NEWLINE || type == RematLexer.LBRACE || type == RematLexer.RBRACE;
        return structural ? null : super.singleTokenDeletion(parser);
    }

    private void report(Token found, IntervalSet expected) {
        Location location = locations.of(found);
        if (diagnostics.mentions(location.file(), location.line())) {
            return;
        }
        String met = TokenNames.of(found);
        String message = expected.isNil() ? "unexpected " + met : "expected " + describe(expected) + ", found " + met;
        Diagnostic diagnostic = Diagnostic.error("E0102", location, message, notes(found, expected));
        String text = found.getText();
        boolean spans = found.getType() != RematLexer.NEWLINE && found.getType() != Token.EOF;
        diagnostics.add(spans ? diagnostic.underlining(Math.max(1, text.length())) : diagnostic);
    }

    private static String[] notes(Token found, IntervalSet expected) {
        if (expected.contains(RematLexer.NAME) && TokenNames.isWord(found.getType())) {
            return new String[] {"'" + found.getText() + "' is a word of the language and cannot be a name"};
        }
        boolean onlyComputes = expected.contains(RematLexer.ASSIGN);
        if (onlyComputes && found.getType() == RematLexer.LPAREN) {
            return new String[] {"a call has no effect by itself: bind its result, as in y = f(x)"};
        }
        if (onlyComputes && TokenKinds.INFIX.contains(found.getType())) {
            return new String[] {"write the whole assignment, as in x = x + 1"};
        }
        return new String[0];
    }

    private static String describe(IntervalSet expected) {
        IntervalSet rest = new IntervalSet(expected);
        List<String> parts = new ArrayList<>();
        if (rest.contains(RematLexer.MODEL) && rest.contains(RematLexer.INCLUDE)) {
            parts.add("a declaration (include, layer, model, train)");
            rest = rest.subtract(TokenKinds.STATEMENT_WORDS);
        } else if (rest.contains(RematLexer.LET) && rest.contains(RematLexer.PARAM)) {
            parts.add("a statement");
            rest = rest.subtract(TokenKinds.STATEMENT_WORDS).subtract(TokenKinds.EXPRESSION_STARTS);
        } else if (rest.contains(RematLexer.INT) && rest.contains(RematLexer.FLOAT)) {
            parts.add("an expression");
            rest = rest.subtract(TokenKinds.EXPRESSION_STARTS);
        } else {
            IntervalSet delimiters = rest.subtract(TokenKinds.INFIX).subtract(TokenKinds.POSTFIX);
            rest = delimiters.isNil() ? rest : delimiters;
        }
        rest.toList().forEach(type -> parts.add(TokenNames.of(type)));
        return parts.size() == 1
                ? parts.getFirst()
                : String.join(", ", parts.subList(0, parts.size() - 1)) + " or " + parts.getLast();
    }
}
