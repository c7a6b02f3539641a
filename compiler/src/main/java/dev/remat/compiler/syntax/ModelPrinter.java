package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Declaration;
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
import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** Prints declarations and statements in canonical form. */
final class ModelPrinter {
    private final Page page;

    private ModelPrinter(Page page) {
        this.page = page;
    }

    static String print(Model model, Trivia trivia) {
        Page page = new Page(trivia);
        new ModelPrinter(page).model(model);
        return page.text();
    }

    /** A setting with all that is in its block, over several lines if need be. */
    static String print(Setting setting) {
        Page page = new Page(Trivia.NONE);
        new ModelPrinter(page).setting(setting);
        return page.text();
    }

    private void model(Model model) {
        page.upTo(model.location(), false);
        page.line(Doc.of("remat ", model.version()));
        List<Declaration> declarations = model.declarations();
        Location end = new Location(model.location().file(), Integer.MAX_VALUE, 1);
        page.commentsAfter(
                declarations.isEmpty() ? end : declarations.getFirst().location());
        boolean inIncludes = false;
        for (int i = 0; i < declarations.size(); i++) {
            Declaration declaration = declarations.get(i);
            boolean include = declaration instanceof Declaration.Include;
            page.upTo(declaration.location(), !(inIncludes && include));
            inIncludes = include;
            declaration(declaration);
            page.commentsAfter(
                    i + 1 < declarations.size() ? declarations.get(i + 1).location() : end);
        }
        page.rest();
    }

    private void declaration(Declaration declaration) {
        switch (declaration) {
            case Declaration.Include include -> page.line(Doc.of("include ", ExpressionPrinter.quoted(include.path())));
            case LayerDefinition layer -> layer("layer ", layer);
            case Declaration.OptimizerDefinition optimizer -> layer("optimizer ", optimizer.layer());
            case Declaration.ModelDefinition model ->
                block(
                        Doc.of(
                                "model ",
                                model.name(),
                                model.parameters().isEmpty() ? Doc.empty() : parameters(model.parameters())),
                        model.body());
            case Declaration.Train train -> settings(Doc.of("train"), train.settings());
        }
    }

    /** Settings with what stands before their brackets. */
    private void settings(Doc head, SettingBlock block) {
        List<Setting> settings = block.settings();
        page.line(Doc.of(head, " {"));
        page.commentsAfter(
                settings.isEmpty() ? block.end() : settings.getFirst().name().location());
        page.indent();
        for (int i = 0; i < settings.size(); i++) {
            page.upTo(settings.get(i).name().location(), false);
            setting(settings.get(i));
            page.commentsAfter(
                    i + 1 < settings.size() ? settings.get(i + 1).name().location() : block.end());
        }
        page.upToEnd(block.end());
        page.outdent();
        page.line(Doc.of("}"));
    }

    private void setting(Setting setting) {
        Doc head = Doc.of(
                setting.name(),
                setting.value()
                        .map(value -> Doc.of(" ", ExpressionPrinter.printOpen(value)))
                        .orElseGet(Doc::empty));
        setting.details().ifPresentOrElse(details -> settings(head, details), () -> page.line(head));
    }

    private void layer(String word, LayerDefinition layer) {
        block(Doc.of(word, layer.name(), parameters(layer.parameters())), layer.body());
    }

    private static Doc parameters(List<Parameter> parameters) {
        return Doc.list("(", parameters.stream().map(ModelPrinter::parameter).toList(), ")");
    }

    private static Doc parameter(Parameter parameter) {
        return Doc.of(
                parameter.name(),
                parameter.type().map(type -> Doc.of(": ", type(type))).orElseGet(Doc::empty),
                parameter
                        .fallback()
                        .map(value -> Doc.of(" = ", ExpressionPrinter.print(value)))
                        .orElseGet(Doc::empty));
    }

    private static Doc type(ParameterType type) {
        return switch (type) {
            case ParameterType.Simple simple -> Doc.of(simple.name());
            case ParameterType.ListOf list -> Doc.of("[", type(list.element()), "]");
            case ParameterType.TupleOf tuple ->
                Doc.list("(", tuple.elements().stream().map(ModelPrinter::type).toList(), ")");
        };
    }

    private static Doc tensorType(TensorType type) {
        return type.dims().isEmpty()
                ? Doc.of(type.dtype())
                : Doc.of(type.dtype(), Doc.list("[", ExpressionPrinter.all(type.dims()), "]"));
    }

    private void statement(Statement statement) {
        switch (statement) {
            case LayerDefinition layer -> layer("layer ", layer);
            case Statement.Symbols symbols -> page.line(Doc.of("symbol ", names(symbols.names())));
            case Statement.Input input -> page.line(Doc.of("input ", input.name(), ": ", tensorType(input.type())));
            case Statement.Output output -> page.line(Doc.of("output ", names(output.names())));
            case Statement.Param param ->
                page.line(Doc.of(
                        param.word(),
                        " ",
                        param.name(),
                        ": ",
                        tensorType(param.type()),
                        param.initializer()
                                .map(start -> Doc.of(" = ", ExpressionPrinter.print(start)))
                                .orElseGet(Doc::empty)));
            case Statement.Let let ->
                page.line(Doc.of("let ", targets(let.targets()), " = ", ExpressionPrinter.printOpen(let.value())));
            case Statement.Assign assign ->
                page.line(Doc.of(targets(assign.targets()), " = ", ExpressionPrinter.printOpen(assign.value())));
            case Statement.Return result -> page.line(Doc.of("return ", ExpressionPrinter.printOpen(result.value())));
            case Statement.Repeat repeat ->
                block(Doc.of("repeat ", ExpressionPrinter.print(repeat.count())), repeat.body());
            case Statement.For loop -> {
                String targets = targets(loop.targets());
                String listed = loop.targets().size() == 1 ? targets : "(" + targets + ")";
                block(Doc.of("for ", listed, " in ", ExpressionPrinter.print(loop.elements())), loop.body());
            }
            case Statement.If choice -> choice(choice);
            case Statement.Pinned pinned -> page.line(Doc.of(pinned.pin().label(), " ", names(pinned.names())));
            case Statement.Recompute recompute -> block(Doc.of("recompute"), recompute.body());
            case Statement.Segments segments ->
                block(Doc.of("segments ", ExpressionPrinter.print(segments.count())), segments.body());
            case Statement.Chunks chunks ->
                block(Doc.of("chunks ", ExpressionPrinter.print(chunks.count())), chunks.body());
            case Statement.Stage _ -> page.line(Doc.of("stage"));
        }
    }

    private void choice(Statement.If choice) {
        String word = "if ";
        for (Statement.Branch branch : choice.branches()) {
            open(Doc.of(word, ExpressionPrinter.print(branch.condition())), branch.body());
            word = "} else if ";
        }
        choice.otherwise().ifPresent(block -> open(Doc.of("} else"), block));
        page.line(Doc.of("}"));
    }

    private void block(Doc head, Block block) {
        open(head, block);
        page.line(Doc.of("}"));
    }

    /** Everything of a block but its closing brace. */
    private void open(Doc head, Block block) {
        List<Statement> statements = block.statements();
        page.line(Doc.of(head, " {"));
        page.commentsAfter(
                statements.isEmpty() ? block.end() : statements.getFirst().location());
        page.indent();
        for (int i = 0; i < statements.size(); i++) {
            page.upTo(statements.get(i).location(), false);
            statement(statements.get(i));
            page.commentsAfter(i + 1 < statements.size() ? statements.get(i + 1).location() : block.end());
        }
        page.upToEnd(block.end());
        page.outdent();
    }

    private static String targets(List<Target> targets) {
        return String.join(", ", targets.stream().map(ModelPrinter::target).toList());
    }

    private static String target(Target target) {
        return switch (target) {
            case Target.Name name -> name.name().text();
            case Target.Tuple tuple -> "(" + targets(tuple.elements()) + ")";
        };
    }

    private static String names(List<Identifier> names) {
        return String.join(", ", names.stream().map(Identifier::text).toList());
    }
}
