package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.syntax.grammar.RematParser;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.antlr.v4.runtime.ANTLRErrorStrategy;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/** Parses the text of one file or value: fast where it is valid, again with error recovery where it is not. */
final class FileParser {
    private FileParser() {}

    /** @param model empty if the text has errors */
    record Result(Optional<Model> model, Trivia trivia) {}

    static Result parse(Source source, Diagnostics diagnostics, BiFunction<String, Location, Model> include) {
        TokenLocations locations = new TokenLocations(source);
        Diagnostics own = new Diagnostics();
        Scanner.Result scan = Scanner.scan(source, own);
        List<Token> tokens = ContextualWords.mark(LineEnds.settle(Brackets.balance(scan.tokens(), locations, own)));
        RematParser.FileContext tree = tree(RematParser::file, Header.check(tokens, locations, own), locations, own);
        Optional<Model> model = Optional.empty();
        if (!own.hasErrors()) {
            Model built = new ModelBuilder(locations, own, include).model(tree);
            Placement.check(built, own);
            model = own.hasErrors() ? Optional.empty() : Optional.of(built);
        }
        own.inOrder().forEach(diagnostics::add);
        return new Result(model, scan.trivia());
    }

    /** A text that is a value and nothing else, as it would stand behind a variable's {@code =}. */
    static Expression value(Source source, Diagnostics diagnostics) {
        TokenLocations locations = new TokenLocations(source);
        List<Token> tokens = Scanner.scan(source, diagnostics).tokens();
        List<Token> settled = LineEnds.settle(Brackets.balance(tokens, locations, diagnostics));
        RematParser.ValueContext tree = tree(RematParser::value, settled, locations, diagnostics);
        diagnostics.throwIfErrors();
        return new ExpressionBuilder(locations, diagnostics).tupled(tree.expressions());
    }

    private static <T> T tree(
            Function<RematParser, T> rule, List<Token> tokens, TokenLocations locations, Diagnostics diagnostics) {
        try {
            return rule.apply(parser(tokens, PredictionMode.SLL, new BailErrorStrategy()));
        } catch (ParseCancellationException e) {
            return rule.apply(parser(tokens, PredictionMode.LL, new Recovery(locations, diagnostics)));
        }
    }

    private static RematParser parser(List<Token> tokens, PredictionMode mode, ANTLRErrorStrategy strategy) {
        RematParser parser = new RematParser(new CommonTokenStream(new ListTokenSource(tokens)));
        parser.removeErrorListeners();
        parser.setErrorHandler(strategy);
        parser.getInterpreter().setPredictionMode(mode);
        return parser;
    }
}
