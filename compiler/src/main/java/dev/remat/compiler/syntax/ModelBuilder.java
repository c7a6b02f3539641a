package dev.remat.compiler.syntax;

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
import dev.remat.compiler.ast.Target;
import dev.remat.compiler.ast.TensorType;
import dev.remat.compiler.syntax.grammar.RematParser;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.tree.TerminalNode;

/** Parse trees of files, declarations and statements to syntax trees. */
final class ModelBuilder {
    private final TokenLocations locations;
    private final ExpressionBuilder expressions;
    private final BiFunction<String, Location, Model> include;

    /** @param include parses the file that an include names */
    ModelBuilder(TokenLocations locations, Diagnostics diagnostics, BiFunction<String, Location, Model> include) {
        this.locations = locations;
        this.expressions = new ExpressionBuilder(locations, diagnostics);
        this.include = include;
    }

    Model model(RematParser.FileContext context) {
        List<Declaration> declarations =
                context.declaration().stream().map(this::declaration).toList();
        return new Model(start(context), 1, declarations);
    }

    private Declaration declaration(RematParser.DeclarationContext context) {
        return switch (context) {
            case RematParser.IncludeContext c -> {
                String path = expressions.literals().string(c.STRING().getSymbol());
                yield new Declaration.Include(
                        start(c),
                        path,
                        include.apply(path, locations.of(c.STRING().getSymbol())));
            }
            case RematParser.ModelContext c ->
                new Declaration.ModelDefinition(
                        start(c),
                        identifier(c.NAME()),
                        c.parameters() == null ? List.of() : parameters(c.parameters()),
                        block(c.block()));
            case RematParser.LayerContext c -> layer(c.layerDefinition());
            case RematParser.OptimizerContext c ->
                new Declaration.OptimizerDefinition(new LayerDefinition(
                        start(c), identifier(c.NAME()), parameters(c.parameters()), block(c.block())));
            case RematParser.TrainContext c -> new Declaration.Train(start(c), settings(c.settings()));
            default -> throw new IllegalStateException("no syntax tree for " + context.getClass());
        };
    }

    private SettingBlock settings(RematParser.SettingsContext context) {
        return new SettingBlock(
                context.setting().stream().map(this::setting).toList(),
                locations.of(context.RBRACE().getSymbol()));
    }

    private Setting setting(RematParser.SettingContext context) {
        return new Setting(
                identifier(context.NAME()),
                Optional.ofNullable(context.expressions()).map(expressions::tupled),
                Optional.ofNullable(context.settings()).map(this::settings));
    }

    private LayerDefinition layer(RematParser.LayerDefinitionContext context) {
        return new LayerDefinition(
                start(context), identifier(context.NAME()), parameters(context.parameters()), block(context.block()));
    }

    private List<Parameter> parameters(RematParser.ParametersContext context) {
        return context.parameter().stream()
                .map(parameter -> new Parameter(
                        identifier(parameter.NAME()),
                        Optional.ofNullable(parameter.parameterType()).map(this::parameterType),
                        Optional.ofNullable(parameter.expression()).map(expressions::expression)))
                .toList();
    }

    private ParameterType parameterType(RematParser.ParameterTypeContext context) {
        return switch (context) {
            case RematParser.NamedTypeContext c -> new ParameterType.Simple(start(c), c.getText());
            case RematParser.ListTypeContext c -> new ParameterType.ListOf(start(c), parameterType(c.parameterType()));
            case RematParser.TupleTypeContext c ->
                new ParameterType.TupleOf(
                        start(c),
                        c.parameterType().stream().map(this::parameterType).toList());
            default -> throw new IllegalStateException("no syntax tree for " + context.getClass());
        };
    }

    private Block block(RematParser.BlockContext context) {
        return new Block(
                start(context),
                context.statement().stream().map(this::statement).toList(),
                locations.of(context.RBRACE().getSymbol()));
    }

    private Statement statement(RematParser.StatementContext context) {
        Location start = start(context);
        return switch (context) {
            case RematParser.SymbolsContext c -> new Statement.Symbols(start, names(c.names()));
            case RematParser.InputContext c ->
                new Statement.Input(start, identifier(c.NAME()), tensorType(c.tensorType()));
            case RematParser.OutputContext c -> new Statement.Output(start, names(c.names()));
            case RematParser.ParamContext c ->
                new Statement.Param(
                        start,
                        true,
                        identifier(c.NAME()),
                        tensorType(c.tensorType()),
                        Optional.of(expressions.expression(c.expression())));
            case RematParser.BufferContext c ->
                new Statement.Param(
                        start,
                        false,
                        identifier(c.NAME()),
                        tensorType(c.tensorType()),
                        Optional.ofNullable(c.expression()).map(expressions::expression));
            case RematParser.NestedLayerContext c -> layer(c.layerDefinition());
            case RematParser.LetContext c ->
                new Statement.Let(start, targets(c.targets()), expressions.tupled(c.expressions()));
            case RematParser.AssignContext c ->
                new Statement.Assign(start, targets(c.targets()), expressions.tupled(c.expressions()));
            case RematParser.ReturnContext c -> new Statement.Return(start, expressions.tupled(c.expressions()));
            case RematParser.RepeatContext c ->
                new Statement.Repeat(start, expressions.expression(c.expression()), block(c.block()));
            case RematParser.ForContext c ->
                new Statement.For(
                        start, opened(targets(c.targets())), expressions.expression(c.expression()), block(c.block()));
            case RematParser.IfContext c -> branches(c);
            case RematParser.PinnedNamesContext c ->
                new Statement.Pinned(
                        start, c.RETAIN() != null ? Expression.Pin.RETAIN : Expression.Pin.OFFLOAD, names(c.names()));
            case RematParser.RecomputeContext c -> new Statement.Recompute(start, block(c.block()));
            case RematParser.SegmentsContext c ->
                new Statement.Segments(start, expressions.expression(c.expression()), block(c.block()));
            case RematParser.ChunksContext c ->
                new Statement.Chunks(start, expressions.expression(c.expression()), block(c.block()));
            case RematParser.StageContext _ -> new Statement.Stage(start);
            default -> throw new IllegalStateException("no syntax tree for " + context.getClass());
        };
    }

    private Statement branches(RematParser.IfContext context) {
        List<Statement.Branch> branches = new ArrayList<>();
        for (int i = 0; i < context.expression().size(); i++) {
            branches.add(new Statement.Branch(expressions.expression(context.expression(i)), block(context.block(i))));
        }
        Optional<Block> otherwise = context.block().size() > branches.size()
                ? Optional.of(block(context.block().getLast()))
                : Optional.empty();
        return new Statement.If(start(context), branches, otherwise);
    }

    private TensorType tensorType(RematParser.TensorTypeContext context) {
        return new TensorType(identifier(context.NAME()), expressions.all(context.expression()));
    }

    private List<Target> targets(RematParser.TargetsContext context) {
        return context.target().stream().map(this::target).toList();
    }

    private Target target(RematParser.TargetContext context) {
        if (context.NAME() != null) {
            return new Target.Name(identifier(context.NAME()));
        }
        List<Target> elements = context.target().stream().map(this::target).toList();
        return elements.size() == 1 ? elements.getFirst() : new Target.Tuple(start(context), elements);
    }

    /** The brackets around all targets of a loop are its own. */
    private static List<Target> opened(List<Target> targets) {
        return targets.size() == 1 && targets.getFirst() instanceof Target.Tuple tuple ? tuple.elements() : targets;
    }

    private List<Identifier> names(RematParser.NamesContext context) {
        return context.NAME().stream().map(this::identifier).toList();
    }

    private Identifier identifier(TerminalNode node) {
        return expressions.identifier(node.getSymbol());
    }

    private Location start(ParserRuleContext context) {
        return locations.of(context.getStart());
    }
}
