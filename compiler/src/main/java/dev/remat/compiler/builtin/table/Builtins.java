package dev.remat.compiler.builtin.table;

import dev.remat.compiler.builtin.ArrangementFunctions;
import dev.remat.compiler.builtin.Builtin;
import dev.remat.compiler.builtin.CreationFunctions;
import dev.remat.compiler.builtin.ElementwiseFunctions;
import dev.remat.compiler.builtin.Initials;
import dev.remat.compiler.builtin.NumberFunctions;
import dev.remat.compiler.builtin.OrderFunctions;
import dev.remat.compiler.builtin.RandomFunctions;
import dev.remat.compiler.builtin.ReductionFunctions;
import dev.remat.compiler.builtin.RunningFunctions;
import dev.remat.compiler.builtin.SelectionFunctions;
import dev.remat.compiler.builtin.ShapeFunctions;
import dev.remat.compiler.builtin.layer.Activations;
import dev.remat.compiler.builtin.layer.ClassificationLosses;
import dev.remat.compiler.builtin.layer.ConvolutionLayers;
import dev.remat.compiler.builtin.layer.LinearLayers;
import dev.remat.compiler.builtin.layer.NormalizationLayers;
import dev.remat.compiler.builtin.layer.PoolingLayers;
import dev.remat.compiler.builtin.layer.RecurrentLayers;
import dev.remat.compiler.builtin.layer.SequenceLayers;
import dev.remat.compiler.builtin.layer.SequenceLosses;
import dev.remat.compiler.builtin.prelude.Prelude;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Every builtin by name; from this table come calls, suggestions and the reference. */
public final class Builtins {
    private static final SequencedMap<String, List<Builtin>> FAMILIES = families();
    private static final Map<String, Builtin> BY_NAME = byName();

    private Builtins() {}

    private static SequencedMap<String, List<Builtin>> families() {
        SequencedMap<String, List<Builtin>> families = new LinkedHashMap<>();
        families.put("Linear maps and tables", LinearLayers.table());
        families.put("Convolutions", ConvolutionLayers.table());
        families.put("Pooling and upsampling", PoolingLayers.table());
        families.put("Normalizations", NormalizationLayers.table());
        families.put(
                "Attention and dropout, recurrent cells and networks",
                together(List.of(SequenceLayers.table(), RecurrentLayers.table())));
        families.put(
                "Losses and metrics",
                together(List.of(
                        ClassificationLosses.table(),
                        Prelude.table("losses.model"),
                        SequenceLosses.table(),
                        Prelude.table("metrics.model"))));
        families.put("Activations", together(List.of(Prelude.table("activations.model"), Activations.table())));
        families.put("Elementwise", ElementwiseFunctions.table());
        families.put(
                "Reductions and softmax",
                together(List.of(ReductionFunctions.table(), Prelude.table("vectors.model"))));
        families.put("Shapes", ShapeFunctions.table());
        families.put("Parts", SelectionFunctions.table());
        families.put("Arrangement", ArrangementFunctions.table());
        families.put("Order", together(List.of(OrderFunctions.table(), RunningFunctions.table())));
        families.put("Constants", CreationFunctions.table());
        families.put("Random draws", RandomFunctions.table());
        families.put("Hyper-parameters", NumberFunctions.table());
        families.put("Initialisers", Initials.table());
        return families;
    }

    private static List<Builtin> together(List<List<Builtin>> tables) {
        return tables.stream().flatMap(List::stream).toList();
    }

    private static Map<String, Builtin> byName() {
        Map<String, Builtin> byName = new LinkedHashMap<>();
        for (List<Builtin> family : FAMILIES.values()) {
            for (Builtin builtin : family) {
                if (byName.put(builtin.name(), builtin) != null) {
                    throw new IllegalStateException("two builtins are called " + builtin.name());
                }
            }
        }
        return byName;
    }

    public static Optional<Builtin> find(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** In the order of the table. */
    public static List<String> names() {
        return List.copyOf(BY_NAME.keySet());
    }

    /** The builtins by what they are about, as the reference lists them. */
    public static SequencedMap<String, List<Builtin>> byFamily() {
        return new LinkedHashMap<>(FAMILIES);
    }
}
