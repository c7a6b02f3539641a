package dev.remat.compiler.syntax;

import dev.remat.compiler.ast.Declaration;
import dev.remat.compiler.ast.LayerDefinition;
import dev.remat.compiler.ast.Model;
import dev.remat.compiler.ast.Setting;
import dev.remat.ir.io.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

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
        MessageDigest digest = Sha256.digest();
        files(model).forEach(file -> update(digest, of(file)));
        hyperParameters.forEach(value -> update(digest, value));
        return Sha256.hex(digest);
    }

    /**
     * The same of layers and body alone: without {@code train} and the hyper-parameters' declarations, so that defaults
     * and settings of the training do not count, nor where a model in stages is cut.
     */
    public static String bodyHash(Model model) {
        MessageDigest digest = Sha256.digest();
        files(model).forEach(file -> update(digest, of(body(WithoutStages.of(file)))));
        return Sha256.hex(digest);
    }

    private static Model body(Model file) {
        List<Declaration> declarations = new ArrayList<>();
        for (Declaration declaration : file.declarations()) {
            switch (declaration) {
                case Declaration.ModelDefinition model ->
                    declarations.add(
                            new Declaration.ModelDefinition(model.location(), model.name(), List.of(), model.body()));
                case Declaration.OptimizerDefinition _, Declaration.Train _ -> {}
                case Declaration.Include _, LayerDefinition _ -> declarations.add(declaration);
            }
        }
        return new Model(file.location(), file.version(), declarations);
    }

    /**
     * What the lines of {@code train} say, each on one line, by their names, and what optimizers of the model's own do;
     * lines of one name are joined.
     */
    public static SequencedMap<String, String> settings(Model model) {
        SequencedMap<String, String> settings = new LinkedHashMap<>();
        List<Setting> lines =
                model.train().map(train -> train.settings().settings()).orElse(List.of());
        for (Setting setting : lines) {
            String name = setting.name().text();
            String line = ModelPrinter.print(setting).strip().replaceAll("\\s+", " ");
            String value = line.substring(name.length()).strip();
            settings.merge(name, value, (first, second) -> first + "; " + second);
        }
        for (Model file : files(model)) {
            for (Declaration declaration : file.declarations()) {
                if (declaration instanceof Declaration.OptimizerDefinition optimizer) {
                    Model alone = new Model(file.location(), file.version(), List.of(optimizer));
                    settings.put(
                            "optimizer " + optimizer.layer().name(), of(alone).replaceAll("\\s+", " "));
                }
            }
        }
        return settings;
    }

    private static void update(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private static Collection<Model> files(Model model) {
        Map<String, Model> files = new LinkedHashMap<>();
        collect(model, files);
        return files.values();
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
