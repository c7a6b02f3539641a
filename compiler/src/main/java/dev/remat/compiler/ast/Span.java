package dev.remat.compiler.ast;

/** How many columns to underline at an expression. */
public final class Span {
    private Span() {}

    public static int of(Expression expression) {
        return switch (expression) {
            case Expression.Name name -> name.text().length();
            case Expression.IntLiteral literal -> Long.toString(literal.value()).length();
            case Expression.FloatLiteral literal -> 1;
            case Expression.StringLiteral literal -> literal.value().length() + 2;
            case Expression.BoolLiteral literal ->
                Boolean.toString(literal.value()).length();
            case Expression.ListLiteral list -> 1;
            case Expression.TupleLiteral tuple -> 1;
            case Expression.Attribute attribute ->
                of(attribute.target()) + 1 + attribute.name().text().length();
            case Expression.Index index -> of(index.target());
            case Expression.Call call -> of(call.callee());
            case Expression.Named named -> of(named.target());
            case Expression.Pinned pinned -> pinned.pin().label().length();
            case Expression.Unary unary -> unary.operator().sign().length();
            case Expression.Binary binary -> binary.operator().sign().length();
            case Expression.Pipe pipe -> 2;
            case Expression.Conditional choice -> 2;
        };
    }
}
