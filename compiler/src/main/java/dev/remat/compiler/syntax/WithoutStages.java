package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Statement;
import dev.remat.compiler.ast.Statement.Branch;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A model less its marks of stages, and the conditions that decide about nothing else. */
final class WithoutStages {
    private WithoutStages() {}

    static Model of(Model model) {
        List<Declaration> declarations = model.declarations().stream()
                .<Declaration>map(declaration -> switch (declaration) {
                    case Declaration.ModelDefinition own ->
                        new Declaration.ModelDefinition(
                                own.location(), own.name(), own.parameters(), block(own.body()));
                    case LayerDefinition layer -> layer(layer);
                    case Declaration.Include _, Declaration.OptimizerDefinition _, Declaration.Train _ -> declaration;
                })
                .toList();
        return new Model(model.location(), model.version(), declarations);
    }

    private static LayerDefinition layer(LayerDefinition layer) {
        return new LayerDefinition(layer.location(), layer.name(), layer.parameters(), block(layer.body()));
    }

    private static Block block(Block block) {
        List<Statement> statements =
                block.statements().stream().flatMap(WithoutStages::statement).toList();
        return new Block(block.location(), statements, block.end());
    }

    private static Stream<Statement> statement(Statement statement) {
        return switch (statement) {
            case Statement.Stage _ -> Stream.empty();
            case Statement.If choice -> choice(choice);
            case LayerDefinition layer -> Stream.of(layer(layer));
            case Statement.Repeat own ->
                Stream.of(new Statement.Repeat(own.location(), own.count(), block(own.body())));
            case Statement.For own ->
                Stream.of(new Statement.For(own.location(), own.targets(), own.elements(), block(own.body())));
            case Statement.Recompute own -> Stream.of(new Statement.Recompute(own.location(), block(own.body())));
            case Statement.Segments own ->
                Stream.of(new Statement.Segments(own.location(), own.count(), block(own.body())));
            case Statement.Chunks own ->
                Stream.of(new Statement.Chunks(own.location(), own.count(), block(own.body())));
            case Statement.Symbols _,
                    Statement.Input _,
                    Statement.Output _,
                    Statement.Param _,
                    Statement.Let _,
                    Statement.Assign _,
                    Statement.Return _,
                    Statement.Pinned _ -> Stream.of(statement);
        };
    }

    private static Stream<Statement> choice(Statement.If choice) {
        List<Block> before = Stream.concat(choice.branches().stream().map(Branch::body), choice.otherwise().stream())
                .toList();
        List<Branch> branches = choice.branches().stream()
                .map(branch -> new Branch(branch.condition(), block(branch.body())))
                .toList();
        Optional<Block> otherwise = choice.otherwise().map(WithoutStages::block);
        boolean marked = before.stream().anyMatch(block -> !block(block).equals(block));
        boolean empty = Stream.concat(branches.stream().map(Branch::body), otherwise.stream())
                .allMatch(block -> block.statements().isEmpty());
        return marked && empty ? Stream.empty() : Stream.of(new Statement.If(choice.location(), branches, otherwise));
    }
}
