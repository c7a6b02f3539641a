package dev.remat.compiler.elaborate;

import dev.remat.compiler.training.TrainingSpec;
import dev.remat.ir.Graph;
import java.util.List;

/**
 * A model whose layers are inlined and whose names are resolved.
 *
 * @param hash SHA-256 of the canonical form with its hyper-parameters, in hexadecimal
 * @param forward over symbols; has the output {@code loss}
 * @param symbols names of the symbols that a plan must bind, in the order of the model
 */
public record ElaboratedModel(String name, String hash, Graph forward, TrainingSpec training, List<String> symbols) {
    public ElaboratedModel {
        symbols = List.copyOf(symbols);
    }
}
