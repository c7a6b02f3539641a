package dev.remat.compiler.elaborate;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Identifier;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Statement;
import java.util.ArrayList;
import java.util.List;

/** What a statement would have done, had it not failed. */
final class AssignedNames {
    private AssignedNames() {}

    /** Names that the statement binds, in blocks too. */
    static List<String> of(Statement statement) {
        return switch (statement) {
            case LayerDefinition layer -> List.of(layer.name().text());
            case Statement.Symbols symbols -> texts(symbols.names());
            case Statement.Input input -> List.of(input.name().text());
            case Statement.Param param -> List.of(param.name().text());
            case Statement.Let let -> texts(let.names());
            case Statement.Assign assign -> texts(assign.names());
            case Statement.For loop -> {
                List<String> names = new ArrayList<>(texts(loop.names()));
                names.addAll(of(loop.body()));
                yield names;
            }
            case Statement.Output output -> List.of();
            case Statement.Return result -> List.of();
            case Statement.Pinned pinned -> List.of();
            case Statement.Stage stage -> List.of();
            case Statement.Repeat repeat -> inBlocks(repeat);
            case Statement.If choice -> inBlocks(choice);
            case Statement.Recompute recompute -> inBlocks(recompute);
            case Statement.Segments segments -> inBlocks(segments);
            case Statement.Chunks chunks -> inBlocks(chunks);
        };
    }

    private static List<String> inBlocks(Statement statement) {
        return blocks(statement).stream().flatMap(block -> of(block).stream()).toList();
    }

    private static List<String> of(Block block) {
        return block.statements().stream()
                .flatMap(statement -> of(statement).stream())
                .toList();
    }

    private static List<String> texts(List<Identifier> names) {
        return names.stream().map(Identifier::text).toList();
    }

    /** Whether a return stands in a block of the statement. */
    static boolean mayReturn(Statement statement) {
        return blocks(statement).stream()
                .flatMap(block -> block.statements().stream())
                .anyMatch(inner -> inner instanceof Statement.Return || mayReturn(inner));
    }

    private static List<Block> blocks(Statement statement) {
        return switch (statement) {
            case Statement.Repeat repeat -> List.of(repeat.body());
            case Statement.For loop -> List.of(loop.body());
            case Statement.Recompute recompute -> List.of(recompute.body());
            case Statement.Segments segments -> List.of(segments.body());
            case Statement.Chunks chunks -> List.of(chunks.body());
            case Statement.If choice -> {
                List<Block> blocks = new ArrayList<>();
                choice.branches().forEach(branch -> blocks.add(branch.body()));
                choice.otherwise().ifPresent(blocks::add);
                yield blocks;
            }
            case LayerDefinition layer -> List.of();
            case Statement.Symbols symbols -> List.of();
            case Statement.Input input -> List.of();
            case Statement.Param param -> List.of();
            case Statement.Let let -> List.of();
            case Statement.Assign assign -> List.of();
            case Statement.Output output -> List.of();
            case Statement.Return result -> List.of();
            case Statement.Pinned pinned -> List.of();
            case Statement.Stage stage -> List.of();
        };
    }
}
