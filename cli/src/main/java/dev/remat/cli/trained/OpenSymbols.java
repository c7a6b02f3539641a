package dev.remat.cli.trained;

import dev.remat.compiler.elaborate.ElaboratedModel;
import dev.remat.compiler.model.ModelSession;
import dev.remat.compiler.model.ModelSettings;
import dev.remat.compiler.training.Purpose;
import dev.remat.ir.diagnostic.ModelException;
import java.util.ArrayList;
import java.util.List;

/** A trained model over the symbols for which its earlier run alone has numbers. */
public final class OpenSymbols {
    private OpenSymbols() {}

    /**
     * The model without those numbers; as it was trained in each whose number its body needs.
     *
     * @param given what is set, without the earlier run
     * @param trained the same and what the earlier run was given
     */
    public static ElaboratedModel of(ModelSession given, ModelSession trained) {
        ElaboratedModel model = trained.open(Purpose.EVALUATE);
        ModelSettings settings = trained.settings();
        for (String symbol : List.copyOf(new ArrayList<>(model.extents().keySet()))) {
            if (given.settings().set().find(symbol).isEmpty()) {
                ModelSettings open = settings.without(symbol);
                try {
                    model = trained.with(open).open(Purpose.EVALUATE);
                    settings = open;
                } catch (ModelException e) {
                    // A loop of so many rounds, say.
                    model = trained.with(settings).open(Purpose.EVALUATE);
                }
            }
        }
        return model;
    }
}
