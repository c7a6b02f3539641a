package dev.remat.tests.process;

import dev.remat.cli.Rehearsal;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What starts a class of ours in a process of its own. Where all that remat needs comes in jars, as it does behind
 * {@code package}, starts take their classes from an AOT cache, as those of the launcher do.
 */
public final class JavaCommand {
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    /** Processes are over before the second compiler pays. */
    private static final List<String> OPTIONS = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xlog:disable");

    /** Whether an entry of the class path is a jar, to its entries. */
    private static final Map<Boolean, String> CLASS_PATH = Pattern.compile(File.pathSeparator)
            .splitAsStream(System.getProperty("java.class.path"))
            .collect(
                    Collectors.partitioningBy(entry -> entry.endsWith(".jar"), Collectors.joining(File.pathSeparator)));

    private JavaCommand() {}

    /** The words before those of {@code main}; {@code more} are further options. */
    public static List<String> of(String main, String... more) {
        List<String> words = new ArrayList<>(List.of(JAVA));
        words.addAll(OPTIONS);
        words.addAll(Cached.OPTIONS);
        words.addAll(List.of(more));
        // The cache knows jars alone, and wants them first.
        words.addAll(List.of("-cp", CLASS_PATH.get(true) + File.pathSeparator + CLASS_PATH.get(false), main));
        return words;
    }

    /** Made by whoever starts the first process. */
    private static final class Cached {
        static final List<String> OPTIONS = areRematsClassesInJars() ? List.of("-XX:AOTCache=" + make()) : List.of();

        private static boolean areRematsClassesInJars() {
            return Rehearsal.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .getPath()
                    .endsWith(".jar");
        }

        private static Path make() {
            try {
                Path cache = Path.of("target", "remat.aot").toAbsolutePath();
                Path made = Files.createTempFile(cache.getParent(), "remat", ".aot");
                List<String> words = new ArrayList<>(List.of(JAVA));
                words.addAll(JavaCommand.OPTIONS);
                words.addAll(
                        List.of("-XX:AOTCacheOutput=" + made, "-cp", CLASS_PATH.get(true), Rehearsal.class.getName()));
                Process process = new ProcessBuilder(words)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                if (process.waitFor() != 0) {
                    throw new IllegalStateException("no AOT cache was made: " + String.join(" ", words));
                }
                return Files.move(made, cache, StandardCopyOption.REPLACE_EXISTING);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while making an AOT cache", e);
            }
        }
    }
}
