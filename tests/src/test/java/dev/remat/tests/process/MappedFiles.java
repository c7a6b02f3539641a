package dev.remat.tests.process;

import dev.remat.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs a command line and prints which files are mapped into the process when it ends. */
public final class MappedFiles {
    private MappedFiles() {}

    public static void main(String[] args) {
        Runtime.getRuntime().addShutdownHook(new Thread(MappedFiles::print));
        Main.main(args);
    }

    private static void print() {
        try {
            Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .filter(line -> line.indexOf('/') > 0)
                    .map(line -> "mapped " + line.substring(line.indexOf('/')))
                    .distinct()
                    .forEach(System.out::println);
        } catch (IOException e) {
            System.out.println(e);
        }
    }
}
