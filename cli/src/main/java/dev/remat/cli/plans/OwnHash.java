package dev.remat.cli.plans;

import dev.remat.codegen.cuda.CudaTarget;
import dev.remat.compiler.Compiler;
import dev.remat.compiler.plan.portfolio.Strategies;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.plan.RematProblem;
import dev.remat.runtime.cpu.CpuTarget;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Tells one build of remat from another, by the names, lengths and check sums of its classes; with them the Java that
 * runs it and the solver's libraries. Whatever could make another plan of the same problem is among it.
 */
final class OwnHash {
    /** One class of each module that plans follow from. */
    private static final List<Class<?>> MODULES =
            List.of(RematProblem.class, Compiler.class, CpuTarget.class, CudaTarget.class, OwnHash.class);

    private final MessageDigest digest = Sha256.digest();

    private OwnHash() {}

    /** Hexadecimal digits; empty where classes lie in nothing that can be read. */
    static Optional<String> ofProcess() throws IOException {
        List<Path> places =
                MODULES.stream().map(OwnHash::place).flatMap(Optional::stream).toList();
        return places.size() == MODULES.size() ? Optional.of(of(places)) : Optional.empty();
    }

    /** @param places jars, and folders of classes */
    static String of(List<Path> places) throws IOException {
        OwnHash hash = new OwnHash();
        hash.add(Runtime.version().toString());
        hash.add(Strategies.libraries().hash());
        for (Path place : places) {
            hash.add(place);
        }
        return Sha256.hex(hash.digest);
    }

    private static Optional<Path> place(Class<?> module) {
        CodeSource source = module.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return Optional.empty();
        }
        try {
            URI location = source.getLocation().toURI();
            return "file".equals(location.getScheme()) ? Optional.of(Path.of(location)) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private void add(Path place) throws IOException {
        if (Files.isDirectory(place)) {
            addFolder(place);
        } else {
            addJar(place);
        }
    }

    /** Of a jar the directory suffices. */
    private void addJar(Path jar) throws IOException {
        try (ZipFile entries = new ZipFile(jar.toFile())) {
            for (Enumeration<? extends ZipEntry> all = entries.entries(); all.hasMoreElements(); ) {
                ZipEntry entry = all.nextElement();
                add(entry.getName() + " " + entry.getSize() + " " + entry.getCrc());
            }
        }
    }

    private void addFolder(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(folder)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        for (Path file : files) {
            add(folder.relativize(file).toString());
            digest.update(Files.readAllBytes(file));
        }
    }

    private void add(String line) {
        digest.update((line + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
