package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Block;
import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Statement;
import dev.remat.ir.diagnostic.Diagnostic;
import dev.remat.ir.diagnostic.Diagnostics;
import dev.remat.ir.diagnostic.Location;

/** Checks that statements stand where they mean something: E0112 for declarations, E0113 for statements. */
final class Placement {
    private final Diagnostics diagnostics;

    private Placement(Diagnostics diagnostics) {
        this.diagnostics = diagnostics;
    }

    static void check(Model model, Diagnostics diagnostics) {
        Placement placement = new Placement(diagnostics);
        boolean defined = false;
        boolean trained = false;
        for (Declaration declaration : model.declarations()) {
            switch (declaration) {
                case Declaration.Include include -> {}
                case LayerDefinition layer -> placement.block(layer.body(), Body.LAYER);
                case Declaration.OptimizerDefinition optimizer ->
                    placement.block(optimizer.layer().body(), Body.OPTIMIZER);
                case Declaration.ModelDefinition definition -> {
                    placement.once(defined, "model", definition.location());
                    defined = true;
                    placement.block(definition.body(), Body.MODEL);
                }
                case Declaration.Train block -> {
                    placement.once(trained, "train block", block.location());
                    trained = true;
                }
            }
        }
    }

    private enum Body {
        MODEL,
        LAYER,
        OPTIMIZER,
        /** Inside {@code repeat}, {@code if} and the like of a model. */
        MODEL_BLOCK
    }

    private void once(boolean seen, String what, Location location) {
        if (seen) {
            diagnostics.add(Diagnostic.error("E0112", location, "a file has one " + what + " only"));
        }
    }

    private void block(Block block, Body body) {
        boolean returned = false;
        for (Statement statement : block.statements()) {
            if (returned) {
                misplaced(statement.location(), "this is never reached: the layer has returned");
                return;
            }
            returned = statement instanceof Statement.Return;
            statement(statement, body);
        }
    }

    private void statement(Statement statement, Body body) {
        Body inner = body == Body.MODEL ? Body.MODEL_BLOCK : body;
        switch (statement) {
            case Statement.Symbols symbols -> onlyInModel(symbols.location(), "symbol", body);
            case Statement.Input input -> onlyInModel(input.location(), "input", body);
            case Statement.Output output -> onlyInModel(output.location(), "output", body);
            case Statement.Return result -> {
                if (body == Body.OPTIMIZER) {
                    misplaced(result.location(), "an optimizer does not return", "it assigns to 'parameter'");
                } else if (body != Body.LAYER) {
                    misplaced(result.location(), "a model does not return; write 'output x' to report a value");
                }
            }
            case LayerDefinition layer -> block(layer.body(), Body.LAYER);
            case Statement.Repeat repeat -> block(repeat.body(), inner);
            case Statement.For loop -> block(loop.body(), inner);
            case Statement.If choice -> {
                choice.branches().forEach(branch -> block(branch.body(), inner));
                choice.otherwise().ifPresent(last -> block(last, inner));
            }
            case Statement.Recompute recompute -> block(recompute.body(), inner);
            case Statement.Segments segments -> block(segments.body(), inner);
            case Statement.Chunks chunks -> block(chunks.body(), inner);
            case Statement.Param param -> {
                if (body == Body.OPTIMIZER) {
                    misplaced(
                            param.location(),
                            "'" + param.word() + "' stands in a model or layer, not in an optimizer",
                            "what an optimizer keeps it binds to a name: " + param.name() + " = state()");
                }
            }
            case Statement.Stage stage -> {
                if (body == Body.OPTIMIZER) {
                    misplaced(stage.location(), "'stage' stands in a model or layer, not in an optimizer");
                }
            }
            case Statement.Let let -> {}
            case Statement.Assign assign -> {}
            case Statement.Pinned pinned -> {}
        }
    }

    private void onlyInModel(Location location, String word, Body body) {
        if (body != Body.MODEL) {
            misplaced(location, "'" + word + "' stands directly in the model, not in a layer or block");
        }
    }

    private void misplaced(Location location, String message, String... notes) {
        diagnostics.add(Diagnostic.error("E0113", location, message, notes));
    }
}
