package dev.remat.tests.bundle;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes a Java runtime of what remat needs: the virtual machine, the base, and decoders of images. These belong to the
 * module of Java's windows, whose windows, fonts, printers and sounds are left out.
 */
final class LinkJava {
    private static final String MODULES = "java.base,java.desktop,java.logging,jdk.unsupported";

    private static final List<String> PACKAGES = List.of(
            "java.desktop/com/sun/java/swing",
            "java.desktop/com/sun/media",
            "java.desktop/com/sun/swing",
            "java.desktop/javax/print",
            "java.desktop/javax/sound",
            "java.desktop/javax/swing",
            "java.desktop/sun/awt/X11",
            "java.desktop/sun/font",
            "java.desktop/sun/print",
            "java.desktop/sun/swing",
            "java.xml/com/sun",
            "java.xml/jdk");

    private static final List<String> FILES = List.of(
            "**/libawt_xawt.so",
            "**/libfontmanager.so",
            "**/libfreetype.so",
            "**/libjawt.so",
            "**/libjsound.so",
            "**/libsplashscreen.so",
            "**/psfont*",
            "**/classlist",
            "**/jrt-fs.jar");

    private static final Path MODULES_OF_JDK =
            Path.of(URI.create("jrt:/java.base")).getParent();

    private LinkJava() {}

    /** Writes it to {@code folder}, not compressed, which the archive around it does better. */
    static void run(Path folder) throws IOException {
        Path left = Files.createTempFile("left-out", ".resources");
        try {
            Files.write(left, resources());
            Tool.run(
                    ToolProvider.findFirst("jlink").orElseThrow(),
                    List.of(
                            "--add-modules",
                            MODULES,
                            "--vm=server",
                            "--strip-debug",
                            "--no-header-files",
                            "--no-man-pages",
                            "--compress=zip-0",
                            "--exclude-resources",
                            "@" + left,
                            "--exclude-files",
                            String.join(",", FILES),
                            "--output",
                            folder.toString()));
        } finally {
            Files.delete(left);
        }
    }

    /** All of the packages that are left out but a class of each, for a module must have the packages that it names. */
    private static List<String> resources() throws IOException {
        List<String> resources = new ArrayList<>();
        for (String name : PACKAGES) {
            try (Stream<Path> all = Files.walk(Path.of(URI.create("jrt:/" + name)))) {
                for (Path folder : all.filter(Files::isDirectory).toList()) {
                    try (Stream<Path> files = Files.list(folder)) {
                        files.filter(Files::isRegularFile)
                                .sorted(Comparator.comparing((Path file) -> !isClass(file))
                                        .thenComparing(Path::toString))
                                .skip(1)
                                .forEach(file -> resources.add("/" + MODULES_OF_JDK.relativize(file)));
                    }
                }
            }
        }
        return resources;
    }

    private static boolean isClass(Path file) {
        return file.toString().endsWith(".class") && !file.toString().contains("$");
    }
}
