package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Argument;
import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Expression;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Parameter;
import dev.remat.compiler.ast.ParameterType;
import dev.remat.compiler.ast.Setting;
import dev.remat.compiler.ast.SettingBlock;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.ast.Subscript;
import dev.remat.compiler.ast.Target;
import dev.remat.compiler.ast.TensorType;
import dev.remat.compiler.ast.UnaryOperator;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Random syntax trees that the grammar can express; they need not make sense. */
final class RandomSyntax {
    private static final Location HERE = Location.NONE;
    private static final String[] NAMES = {
        "x", "buffer", "weights", "linear", "f32", "a_long_name_to_break_lines", "_", "minimize", "stage"
    };

    private static final String[] PATHS = {"layer", "features.3", "0", "a \"b\"", "", "Über"};

    private final SplittableRandom random;

    RandomSyntax(long seed) {
        this.random = new SplittableRandom(seed);
    }

    Model model() {
        List<Declaration> declarations = new ArrayList<>();
        declarations.addAll(some(0, 3, () -> layer(3)));
        declarations.add(
                new Declaration.ModelDefinition(HERE, identifier(), some(0, 8, this::parameter), block(4, false)));
        if (random.nextBoolean()) {
            declarations.add(new Declaration.Train(HERE, settings(2)));
        }
        return new Model(HERE, 1, declarations);
    }

    private SettingBlock settings(int depth) {
        return new SettingBlock(
                some(
                        0,
                        4,
                        () -> new Setting(
                                identifier(),
                                maybe(() -> expression(3)),
                                depth > 0 && random.nextInt(3) == 0
                                        ? Optional.of(settings(depth - 1))
                                        : Optional.empty())),
                HERE);
    }

    private LayerDefinition layer(int depth) {
        return new LayerDefinition(HERE, identifier(), some(0, 3, this::parameter), block(depth, true));
    }

    private Parameter parameter() {
        return new Parameter(identifier(), maybe(() -> type(2)), maybe(() -> expression(2)));
    }

    private ParameterType type(int depth) {
        return switch (random.nextInt(depth == 0 ? 2 : 4)) {
            case 0 -> new ParameterType.Simple(HERE, "int");
            case 1 -> new ParameterType.Simple(HERE, "layer");
            case 2 -> new ParameterType.ListOf(HERE, type(depth - 1));
            default -> new ParameterType.TupleOf(HERE, some(2, 4, () -> type(depth - 1)));
        };
    }

    private Block block(int depth, boolean inLayer) {
        List<Statement> statements = new ArrayList<>(some(0, 4, () -> statement(depth, inLayer)));
        if (inLayer && random.nextBoolean()) {
            statements.add(new Statement.Return(HERE, expression(3)));
        }
        return new Block(HERE, statements, HERE);
    }

    private Statement statement(int depth, boolean inLayer) {
        return switch (random.nextInt(depth == 0 ? 5 : 13)) {
            case 0 -> {
                boolean trained = random.nextBoolean();
                Optional<Expression> start = trained ? Optional.of(expression(2)) : maybe(() -> expression(2));
                yield new Statement.Param(HERE, trained, identifier(), tensorType(), start);
            }
            case 1 -> new Statement.Let(HERE, some(1, 3, () -> target(2)), expression(3));
            case 2 ->
                new Statement.Pinned(
                        HERE,
                        random.nextBoolean() ? Expression.Pin.RETAIN : Expression.Pin.OFFLOAD,
                        some(1, 3, this::identifier));
            case 3, 4 -> new Statement.Assign(HERE, some(1, 3, () -> target(2)), expression(4));
            case 5 -> layer(depth - 1);
            case 6 -> new Statement.Repeat(HERE, expression(2), block(depth - 1, inLayer));
            case 7 -> new Statement.For(HERE, loopTargets(), expression(2), block(depth - 1, inLayer));
            case 8 -> new Statement.Recompute(HERE, block(depth - 1, inLayer));
            case 9 -> new Statement.Segments(HERE, expression(2), block(depth - 1, inLayer));
            case 10, 11 ->
                new Statement.If(
                        HERE,
                        some(1, 3, () -> new Statement.Branch(expression(2), block(depth - 1, inLayer))),
                        maybe(() -> block(depth - 1, inLayer)));
            case 12 -> new Statement.Stage(HERE);
            default -> throw new IllegalStateException();
        };
    }

    private TensorType tensorType() {
        return new TensorType(identifier(), some(0, 4, () -> expression(1)));
    }

    private Expression expression(int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 17)) {
            case 0 -> new Expression.IntLiteral(HERE, random.nextLong(Long.MAX_VALUE) >> random.nextInt(63));
            case 1 -> new Expression.FloatLiteral(HERE, Math.scalb(random.nextDouble(), random.nextInt(-200, 200)));
            case 2 -> new Expression.StringLiteral(HERE, "say \"\\\n\t" + random.nextInt());
            case 3 -> new Expression.BoolLiteral(HERE, random.nextBoolean());
            case 4 -> new Expression.Name(HERE, identifier().text());
            case 5 -> new Expression.ListLiteral(HERE, some(0, 6, () -> expression(depth - 1)));
            case 6 -> new Expression.TupleLiteral(HERE, some(1, 4, () -> expression(depth - 1)));
            case 7 -> new Expression.Attribute(HERE, expression(depth - 1), identifier());
            case 8 -> new Expression.Index(HERE, expression(depth - 1), some(1, 3, () -> subscript(depth - 1)));
            case 9, 10 ->
                new Expression.Call(
                        HERE,
                        expression(depth - 1),
                        some(0, 5, () -> new Argument(maybe(this::identifier), expression(depth - 1))));
            case 11 ->
                new Expression.Named(
                        HERE,
                        expression(depth - 1),
                        random.nextBoolean()
                                ? identifier()
                                : new Identifier(HERE, PATHS[random.nextInt(PATHS.length)]));
            case 12 -> new Expression.Pinned(HERE, Expression.Pin.values()[random.nextInt(2)], expression(depth - 1));
            case 13 -> new Expression.Unary(HERE, UnaryOperator.values()[random.nextInt(2)], expression(depth - 1));
            case 14 ->
                new Expression.Binary(
                        HERE,
                        BinaryOperator.values()[random.nextInt(BinaryOperator.values().length)],
                        expression(depth - 1),
                        expression(depth - 1));
            case 15 -> new Expression.Pipe(HERE, expression(depth - 1), expression(depth - 1));
            default ->
                new Expression.Conditional(HERE, expression(depth - 1), expression(depth - 1), expression(depth - 1));
        };
    }

    private Subscript subscript(int depth) {
        return switch (random.nextInt(4)) {
            case 0, 1 -> new Subscript.Place(expression(depth));
            case 2 ->
                new Subscript.Range(
                        HERE,
                        maybe(() -> expression(depth)),
                        maybe(() -> expression(depth)),
                        maybe(() -> expression(depth)));
            default -> new Subscript.Rest(HERE);
        };
    }

    private Target target(int depth) {
        return depth == 0 || random.nextInt(4) > 0
                ? new Target.Name(identifier())
                : new Target.Tuple(HERE, some(2, 3, () -> target(depth - 1)));
    }

    /** A tuple alone would be the brackets of the loop. */
    private List<Target> loopTargets() {
        List<Target> targets = some(1, 3, () -> target(1));
        return targets.size() == 1 && targets.getFirst() instanceof Target.Tuple tuple ? tuple.elements() : targets;
    }

    private Identifier identifier() {
        return new Identifier(HERE, NAMES[random.nextInt(NAMES.length)]);
    }

    private <T> Optional<T> maybe(Supplier<T> make) {
        return random.nextBoolean() ? Optional.of(make.get()) : Optional.empty();
    }

    private <T> List<T> some(int least, int most, Supplier<T> make) {
        List<T> made = new ArrayList<>();
        for (int i = random.nextInt(least, most + 1); i > 0; i--) {
            made.add(make.get());
        }
        return made;
    }
}
