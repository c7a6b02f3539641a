package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.Model;
import dev.remat.ir.io.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A model's text without comments and choice of layout, and the hash by which plans know the model. */
public final class CanonicalForm {
    private CanonicalForm() {}

    /** The text of the model's own file. */
    public static String of(Model model) {
        return ModelPrinter.print(model, Trivia.NONE);
    }

    /**
     * SHA-256, as 64 hexadecimal digits, of the canonical forms of the model and of every file it includes.
     *
     * @param hyperParameters values that the model is elaborated with, each as {@code name=value}
     */
    public static String hash(Model model, List<String> hyperParameters) {
        Map<String, Model> files = new LinkedHashMap<>();
        collect(model, files);
        MessageDigest digest = Sha256.digest();
        for (Model file : files.values()) {
            digest.update(of(file).getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
        }
        for (String value : hyperParameters) {
            digest.update(value.getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0);
        }
        return Sha256.hex(digest);
    }

    private static void collect(Model model, Map<String, Model> files) {
        if (files.putIfAbsent(model.location().file(), model) == null) {
            for (Declaration declaration : model.declarations()) {
                if (declaration instanceof Declaration.Include include) {
                    collect(include.content(), files);
                }
            }
        }
    }
}
