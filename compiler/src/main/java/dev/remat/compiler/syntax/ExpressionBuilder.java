package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.Subscript;
import dev.remat.compiler.ast.UnaryOperator;
import dev.remat.compiler.syntax.grammar.RematLexer;
import dev.remat.compiler.syntax.grammar.RematParser;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;

/** Parse trees of expressions to syntax trees. */
final class ExpressionBuilder {
    private final TokenLocations locations;
    private final Literals literals;

    ExpressionBuilder(TokenLocations locations, Diagnostics diagnostics) {
        this.locations = locations;
        this.literals = new Literals(locations, diagnostics);
    }

    Literals literals() {
        return literals;
    }

    Identifier identifier(Token token) {
        return new Identifier(locations.of(token), token.getText());
    }

    /** A name behind {@code as}, which may be a string of what is no name elsewhere. */
    private Identifier path(RematParser.NamedContext context) {
        if (context.NAME() != null) {
            return identifier(context.NAME().getSymbol());
        }
        Token string = context.STRING().getSymbol();
        return new Identifier(locations.of(string), literals.string(string));
    }

    List<Expression> all(List<RematParser.ExpressionContext> contexts) {
        return contexts.stream().map(this::expression).toList();
    }

    /** One expression as it is, several as the tuple that {@code return a, b} means. */
    Expression tupled(RematParser.ExpressionsContext context) {
        List<Expression> values = all(context.expression());
        return values.size() == 1 ? values.getFirst() : new Expression.TupleLiteral(start(context), values);
    }

    Expression expression(RematParser.ExpressionContext context) {
        return switch (context) {
            case RematParser.AttributeContext c ->
                new Expression.Attribute(
                        start(c),
                        expression(c.expression()),
                        identifier(c.NAME().getSymbol()));
            case RematParser.CallContext c ->
                new Expression.Call(
                        start(c),
                        expression(c.expression()),
                        c.argument().stream().map(this::argument).toList());
            case RematParser.IndexContext c ->
                new Expression.Index(
                        start(c),
                        expression(c.expression()),
                        c.subscript().stream().map(this::subscript).toList());
            case RematParser.NamedContext c -> new Expression.Named(start(c), expression(c.expression()), path(c));
            case RematParser.PinnedContext c ->
                new Expression.Pinned(
                        start(c),
                        c.RETAIN() != null
                                ? Expression.Pin.RETAIN
                                : c.OFFLOAD() != null ? Expression.Pin.OFFLOAD : Expression.Pin.RECOMPUTE,
                        expression(c.expression()));
            case RematParser.UnaryContext c -> unary(c);
            case RematParser.BinaryContext c -> binary(c);
            case RematParser.ConditionalContext c ->
                new Expression.Conditional(
                        start(c),
                        expression(c.expression(0)),
                        expression(c.expression(1)),
                        expression(c.expression(2)));
            case RematParser.GroupContext c -> expression(c.expression());
            case RematParser.TupleContext c -> new Expression.TupleLiteral(start(c), all(c.expression()));
            case RematParser.ListContext c -> new Expression.ListLiteral(start(c), all(c.expression()));
            case RematParser.NameContext c ->
                new Expression.Name(start(c), c.NAME().getText());
            case RematParser.IntContext c ->
                new Expression.IntLiteral(start(c), literals.integer(c.INT().getSymbol()));
            case RematParser.FloatContext c ->
                new Expression.FloatLiteral(start(c), literals.real(c.FLOAT().getSymbol()));
            case RematParser.StringContext c ->
                new Expression.StringLiteral(
                        start(c), literals.string(c.STRING().getSymbol()));
            case RematParser.BoolContext c -> new Expression.BoolLiteral(start(c), c.TRUE() != null);
            default -> throw new IllegalStateException("no syntax tree for " + context.getClass());
        };
    }

    private Expression unary(RematParser.UnaryContext context) {
        UnaryOperator operator = context.NOT() != null ? UnaryOperator.NOT : UnaryOperator.NEGATE;
        return new Expression.Unary(start(context), operator, expression(context.expression()));
    }

    private Expression binary(RematParser.BinaryContext context) {
        Token sign = (Token) context.getChild(1).getPayload();
        Location location = locations.of(sign);
        Expression left = expression(context.expression(0));
        Expression right = expression(context.expression(1));
        return sign.getType() == RematLexer.PIPE
                ? new Expression.Pipe(location, left, right)
                : new Expression.Binary(location, BinaryOperator.ofSign(sign.getText()), left, right);
    }

    private Subscript subscript(RematParser.SubscriptContext context) {
        return switch (context) {
            case RematParser.PlaceContext c -> new Subscript.Place(expression(c.expression()));
            case RematParser.RangeContext c ->
                new Subscript.Range(start(c), optional(c.first), optional(c.end), optional(c.step));
            case RematParser.RestContext c -> new Subscript.Rest(start(c));
            default -> throw new IllegalStateException("no syntax tree for " + context.getClass());
        };
    }

    private Optional<Expression> optional(RematParser.ExpressionContext context) {
        return Optional.ofNullable(context).map(this::expression);
    }

    private Argument argument(RematParser.ArgumentContext context) {
        Optional<Identifier> name = Optional.ofNullable(context.NAME()).map(node -> identifier(node.getSymbol()));
        return new Argument(name, expression(context.expression()));
    }

    Location start(ParserRuleContext context) {
        return locations.of(context.getStart());
    }
}
