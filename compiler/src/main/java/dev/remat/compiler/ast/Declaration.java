package dev.remat.compiler.ast;

import dev.remat.ir.diagnostic.Location;
import java.util.List;

/** What stands at the top of a model file. */
public sealed interface Declaration
        permits LayerDefinition,
                Declaration.Include,
                Declaration.ModelDefinition,
                Declaration.OptimizerDefinition,
                Declaration.Train {
    Location location();

    /**
     * {@code include "path"}: the layers of another file.
     *
     * @param content the included file, parsed
     */
    record Include(Location location, String path, Model content) implements Declaration {}

    /** {@code model Name(parameters) { … }}: the one model of the file, its parameters being the hyper-parameters. */
    record ModelDefinition(Location location, Identifier name, List<Parameter> parameters, Block body)
            implements Declaration {
        public ModelDefinition {
            parameters = List.copyOf(parameters);
        }
    }

    /**
     * {@code optimizer Name(parameters) { … }}: how a gradient changes its parameter.
     *
     * @param layer what it says, as a layer of this name would
     */
    record OptimizerDefinition(LayerDefinition layer) implements Declaration {
        @Override
        public Location location() {
            return layer.location();
        }
    }

    /** {@code train { … }}: objectives, optimizers, precision, seed. */
    record Train(Location location, SettingBlock settings) implements Declaration {}
}
