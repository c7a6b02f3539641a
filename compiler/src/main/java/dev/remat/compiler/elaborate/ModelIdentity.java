package dev.remat.compiler.elaborate;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the parameters of a model mean, and apart from it how they are trained.
 *
 * @param hash SHA-256 of layers and body in canonical form, in hexadecimal
 * @param hyperParameters values that the body has read, by name
 * @param training settings of the {@code train} block in canonical form, and the hyper-parameters that it alone reads
 */
public record ModelIdentity(
        String hash, SortedMap<String, String> hyperParameters, SortedMap<String, String> training) {
    public ModelIdentity {
        hyperParameters = Collections.unmodifiableSortedMap(new TreeMap<>(hyperParameters));
        training = Collections.unmodifiableSortedMap(new TreeMap<>(training));
    }
}
