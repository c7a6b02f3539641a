package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.table.Builtins;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which names of a body repeat: those written at several calls, and all in loops. That is read off the text, so that no
 * hyper-parameter changes a number into no number.
 */
final class CallSites {
    private final Map<String, Integer> calls = new LinkedHashMap<>();
    /** Calls of builtins without parameters, or of what hides one of these and may have them. */
    private final Map<String, Integer> hiding = new LinkedHashMap<>();

    private final Map<String, Boolean> given = new LinkedHashMap<>();
    static final CallSites NONE = new CallSites();

    private boolean inLoop;

    private CallSites() {}

    static CallSites of(Block body) {
        CallSites sites = new CallSites();
        sites.block(body);
        return sites;
    }

    /** Whether calls that go by their callee's name are numbered; a name not written in the body always is. */
    boolean isNumbered(String name) {
        return calls.getOrDefault(name, hiding.getOrDefault(name, 2)) > 1;
    }

    /** Whether calls that were named {@code as name} are numbered: in a loop. */
    boolean isGivenInLoop(String name) {
        return given.getOrDefault(name, false);
    }

    /** {@code BasicBlock} is called {@code basic_block}, {@code MLPBlock} {@code mlp_block}. */
    static String nameOf(String callee) {
        StringBuilder name = new StringBuilder(callee.length() + 4);
        for (int i = 0; i < callee.length(); i++) {
            char c = callee.charAt(i);
            boolean capital = Character.isUpperCase(c);
            boolean afterSmall = i > 0 && !Character.isUpperCase(callee.charAt(i - 1)) && callee.charAt(i - 1) != '_';
            boolean beforeSmall = i > 0
                    && Character.isUpperCase(callee.charAt(i - 1))
                    && i + 1 < callee.length()
                    && Character.isLowerCase(callee.charAt(i + 1));
            if (capital && (afterSmall || beforeSmall)) {
                name.append('_');
            }
            name.append(Character.toLowerCase(c));
        }
        return name.toString();
    }

    private void block(Block block) {
        block.statements().forEach(this::statement);
    }

    private void loop(Block body) {
        boolean outer = inLoop;
        inLoop = true;
        block(body);
        inLoop = outer;
    }

    private void statement(Statement statement) {
        switch (statement) {
            case Statement.Let let -> expression(let.value());
            case Statement.Assign assign -> expression(assign.value());
            case Statement.Return result -> expression(result.value());
            case Statement.Param param -> given.merge(param.name().text(), inLoop, Boolean::logicalOr);
            case Statement.Repeat repeat -> loop(repeat.body());
            case Statement.For loop -> loop(loop.body());
            case Statement.If choice -> {
                choice.branches().forEach(branch -> block(branch.body()));
                choice.otherwise().ifPresent(this::block);
            }
            case Statement.Recompute recompute -> block(recompute.body());
            case Statement.Segments segments -> block(segments.body());
            case Statement.Chunks chunks -> block(chunks.body());
            case LayerDefinition layer -> {}
            case Statement.Symbols symbols -> {}
            case Statement.Input input -> {}
            case Statement.Output output -> {}
            case Statement.Pinned pinned -> {}
            case Statement.Stage stage -> {}
        }
    }

    private void expression(Expression expression) {
        switch (expression) {
            case Expression.Named named -> {
                given.merge(named.name().text(), inLoop, Boolean::logicalOr);
                if (named.target() instanceof Expression.Call call) {
                    parts(call);
                } else {
                    expression(named.target());
                }
            }
            case Expression.Call call -> {
                if (call.arguments().stream().noneMatch(CallSites::isOpen)) {
                    called(call.callee());
                }
                parts(call);
            }
            case Expression.Pipe pipe -> {
                expression(pipe.left());
                stage(pipe.right());
            }
            case Expression.ListLiteral list -> all(list.elements());
            case Expression.TupleLiteral tuple -> all(tuple.elements());
            case Expression.Attribute attribute -> expression(attribute.target());
            case Expression.Index index -> all(index.parts());
            case Expression.Pinned pinned -> expression(pinned.target());
            case Expression.Unary unary -> expression(unary.operand());
            case Expression.Binary binary -> all(List.of(binary.left(), binary.right()));
            case Expression.Conditional choice -> all(List.of(choice.condition(), choice.yes(), choice.no()));
            case Expression.Name _, Expression.Literal _ -> {}
        }
    }

    private void stage(Expression stage) {
        switch (stage) {
            case Expression.Call call -> {
                called(call.callee());
                parts(call);
            }
            case Expression.Pinned pinned -> stage(pinned.target());
            case Expression.Named named -> expression(named);
            case Expression.Name _,
                    Expression.Literal _,
                    Expression.ListLiteral _,
                    Expression.TupleLiteral _,
                    Expression.Attribute _,
                    Expression.Index _,
                    Expression.Unary _,
                    Expression.Binary _,
                    Expression.Pipe _,
                    Expression.Conditional _ -> called(stage);
        }
    }

    private void called(Expression callee) {
        if (callee instanceof Expression.Name name) {
            boolean mayOwn =
                    Builtins.find(name.text()).map(Builtin::ownsParameters).orElse(true);
            (mayOwn ? calls : hiding).merge(nameOf(name.text()), inLoop ? 2 : 1, Integer::sum);
        }
    }

    private static boolean isOpen(Argument argument) {
        return argument.value() instanceof Expression.Name name && name.text().equals("_");
    }

    private void parts(Expression.Call call) {
        expression(call.callee());
        call.arguments().forEach(argument -> expression(argument.value()));
    }

    private void all(List<Expression> expressions) {
        expressions.forEach(this::expression);
    }
}
