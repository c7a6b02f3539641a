package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Model;
import dev.remat.compiler.syntax.grammar.RematParser;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.antlr.v4.runtime.ANTLRErrorStrategy;
import org.antlr.v4.runtime.BailErrorStrategy;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.ListTokenSource;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.atn.PredictionMode;
import org.antlr.v4.runtime.misc.ParseCancellationException;

/** Parses the text of one file: fast where it is valid, again with error recovery where it is not. */
final class FileParser {
    private FileParser() {}

    /** @param model empty if the text has errors */
    record Result(Optional<Model> model, Trivia trivia) {}

    static Result parse(Source source, Diagnostics diagnostics, BiFunction<String, Location, Model> include) {
        Place place = new Place(source);
        Diagnostics own = new Diagnostics();
        Scanner.Result scan = Scanner.scan(source, own);
        List<Token> tokens = LineEnds.settle(Brackets.balance(scan.tokens(), place, own));
        RematParser.FileContext tree = tree(Header.check(tokens, place, own), place, own);
        Optional<Model> model = Optional.empty();
        if (!own.hasErrors()) {
            Model built = new ModelBuilder(place, own, include).model(tree);
            Placement.check(built, own);
            model = own.hasErrors() ? Optional.empty() : Optional.of(built);
        }
        own.inOrder().forEach(diagnostics::add);
        return new Result(model, scan.trivia());
    }

    private static RematParser.FileContext tree(List<Token> tokens, Place place, Diagnostics diagnostics) {
        try {
            return parser(tokens, PredictionMode.SLL, new BailErrorStrategy()).file();
        } catch (ParseCancellationException e) {
            return parser(tokens, PredictionMode.LL, new Recovery(place, diagnostics))
                    .file();
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
