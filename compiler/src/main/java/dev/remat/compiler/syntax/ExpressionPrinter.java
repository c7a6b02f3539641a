package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Subscript;
import dev.remat.compiler.ast.UnaryOperator;
import java.util.ArrayList;
import java.util.List;

/** Expressions in canonical form: no bracket that is not needed, one blank around operators. */
final class ExpressionPrinter {
    private static final int CONDITIONAL = -1;
    private static final int PIPE = 0;
    private static final int NOT = 3;
    private static final int NEGATE = 7;
    private static final int PINNED = 9;
    private static final int POSTFIX = 10;

    private ExpressionPrinter() {}

    static Doc print(Expression expression) {
        return print(expression, CONDITIONAL);
    }

    /** Without the brackets of a tuple of several, as after {@code return} and {@code =}. */
    static Doc printOpen(Expression expression) {
        return expression instanceof Expression.TupleLiteral tuple
                        && tuple.elements().size() > 1
                ? new Doc.Group(new Doc.Nest(Doc.join(all(tuple.elements()), Doc.of(",", Doc.line()))))
                : print(expression);
    }

    static List<Doc> all(List<Expression> expressions) {
        return expressions.stream().map(ExpressionPrinter::print).toList();
    }

    private static Doc print(Expression expression, int least) {
        Doc bare = bare(expression);
        return precedence(expression) < least ? Doc.of("(", bare, ")") : bare;
    }

    private static Doc bare(Expression expression) {
        return switch (expression) {
            case Expression.Name name -> Doc.of(name.text());
            case Expression.IntLiteral literal -> Doc.of(literal.value());
            case Expression.FloatLiteral literal -> Doc.of(real(literal.value()));
            case Expression.StringLiteral literal -> Doc.of(quoted(literal.value()));
            case Expression.BoolLiteral literal -> Doc.of(literal.value());
            case Expression.ListLiteral list -> Doc.list("[", all(list.elements()), "]");
            case Expression.TupleLiteral tuple ->
                tuple.elements().size() == 1
                        ? Doc.of("(", print(tuple.elements().getFirst()), ",)")
                        : Doc.list("(", all(tuple.elements()), ")");
            case Expression.Attribute attribute -> Doc.of(print(attribute.target(), POSTFIX), ".", attribute.name());
            case Expression.Index index ->
                Doc.of(
                        print(index.target(), POSTFIX),
                        Doc.list(
                                "[",
                                index.subscripts().stream()
                                        .map(ExpressionPrinter::subscript)
                                        .toList(),
                                "]"));
            case Expression.Call call ->
                Doc.of(
                        print(call.callee(), POSTFIX),
                        Doc.list(
                                "(",
                                call.arguments().stream()
                                        .map(ExpressionPrinter::argument)
                                        .toList(),
                                ")"));
            case Expression.Named named ->
                Doc.of(print(named.target(), POSTFIX), " as ", path(named.name().text()));
            case Expression.Pinned pinned -> Doc.of(pinned.pin().label(), " ", print(pinned.target(), PINNED));
            case Expression.Unary unary ->
                unary.operator() == UnaryOperator.NOT
                        ? Doc.of("not ", print(unary.operand(), NOT))
                        : Doc.of("-", print(unary.operand(), NEGATE + 1));
            case Expression.Binary binary -> binary(binary);
            case Expression.Pipe pipe -> pipe(pipe);
            case Expression.Conditional choice ->
                new Doc.Group(Doc.of(
                        "if ",
                        print(choice.condition(), PIPE),
                        new Doc.Nest(Doc.of(
                                Doc.line(),
                                "then ",
                                print(choice.yes(), PIPE),
                                Doc.line(),
                                "else ",
                                print(choice.no())))));
        };
    }

    /** Bounds that are one word or number stand at the colon, as in {@code a:b}; others keep a distance. */
    private static Doc subscript(Subscript subscript) {
        return switch (subscript) {
            case Subscript.Place place -> print(place.index());
            case Subscript.Range range -> {
                String space = range.expressions().stream().allMatch(bound -> precedence(bound) == POSTFIX) ? "" : " ";
                Doc start = range.start()
                        .map(bound -> Doc.of(print(bound, PIPE), space))
                        .orElseGet(Doc::empty);
                Doc end = range.end()
                        .map(bound -> Doc.of(space, print(bound, PIPE)))
                        .orElseGet(Doc::empty);
                Doc step = range.step()
                        .map(bound -> Doc.of(space, ":", space, print(bound, PIPE)))
                        .orElseGet(Doc::empty);
                yield Doc.of(start, ":", end, step);
            }
            case Subscript.Rest rest -> Doc.of("...");
        };
    }

    private static Doc argument(Argument argument) {
        Doc value = print(argument.value());
        return argument.name().map(name -> Doc.of(name, " = ", value)).orElse(value);
    }

    private static Doc binary(Expression.Binary binary) {
        int precedence = binary.operator().precedence();
        boolean toTheRight = binary.operator() == BinaryOperator.POWER;
        Doc left = print(binary.left(), toTheRight ? precedence + 1 : precedence);
        Doc right = print(binary.right(), toTheRight ? precedence : precedence + 1);
        return new Doc.Group(Doc.of(left, " ", binary.operator().sign(), new Doc.Nest(Doc.of(Doc.line(), right))));
    }

    private static Doc pipe(Expression.Pipe last) {
        List<Doc> stages = new ArrayList<>();
        Expression first = last;
        while (first instanceof Expression.Pipe pipe) {
            stages.addFirst(Doc.of(Doc.line(), "|> ", print(pipe.right(), PIPE + 1)));
            first = pipe.left();
        }
        return new Doc.Group(Doc.of(print(first, PIPE + 1), new Doc.Nest(new Doc.Concat(stages))));
    }

    private static int precedence(Expression expression) {
        return switch (expression) {
            case Expression.Conditional choice -> CONDITIONAL;
            case Expression.Pipe pipe -> PIPE;
            case Expression.Binary binary -> binary.operator().precedence();
            case Expression.Unary unary -> unary.operator() == UnaryOperator.NOT ? NOT : NEGATE;
            case Expression.Pinned pinned -> PINNED;
            case Expression.Attribute _,
                    Expression.Index _,
                    Expression.Call _,
                    Expression.Named _,
                    Expression.Name _,
                    Expression.Literal _,
                    Expression.ListLiteral _,
                    Expression.TupleLiteral _ -> POSTFIX;
        };
    }

    /** As a name where it is one. */
    private static String path(String name) {
        return Scanner.isName(name) ? name : quoted(name);
    }

    /** The shortest decimal that reads back as {@code value}: {@code 0.1}, {@code 3e-4}. */
    static String real(double value) {
        if (value == 0) {
            return "0.0";
        }
        return Double.toString(value).replace(".0E", "E").replace('E', 'e');
    }

    static String quoted(String value) {
        return '"'
                + value.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\t", "\\t")
                + '"';
    }
}
