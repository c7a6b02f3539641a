package dev.remat.runtime.process;

import dev.remat.ir.natives.LibraryUnavailableException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Loads an engine from a folder of jars. What native libraries it brings its own Java classes for are its alone. */
public final class LoadEngine {
    private static final String NATIVES = "org.bytedeco.";

    private LoadEngine() {}

    /** @throws LibraryUnavailableException if there is none, or it is damaged */
    public static Engine from(Path folder) {
        // It serves as long as the process runs.
        ClassLoader classes = new URLClassLoader(jars(folder), new Ours(LoadEngine.class.getClassLoader()));
        try {
            return ServiceLoader.load(Engine.class, classes)
                    .findFirst()
                    .orElseThrow(() -> new LibraryUnavailableException(folder + " has no jar of an engine"));
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new LibraryUnavailableException("the engine in " + folder + " cannot be loaded: " + e.getMessage());
        }
    }

    private static URL[] jars(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            List<URL> jars = new ArrayList<>();
            for (Path file : files.filter(each -> each.toString().endsWith(".jar"))
                    .sorted()
                    .toList()) {
                jars.add(url(file));
            }
            return jars.toArray(URL[]::new);
        } catch (IOException e) {
            throw new LibraryUnavailableException(folder + " cannot be read: " + e.getMessage());
        }
    }

    private static URL url(Path file) throws MalformedURLException {
        return file.toUri().toURL();
    }

    /** All but the presets of native libraries that remat itself has, which may be of another version. */
    private static final class Ours extends ClassLoader {
        Ours(ClassLoader all) {
            super(all);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(NATIVES)) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        public URL getResource(String name) {
            return isOfNatives(name) ? null : super.getResource(name);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return isOfNatives(name) ? Collections.emptyEnumeration() : super.getResources(name);
        }

        private static boolean isOfNatives(String name) {
            return name.startsWith("org/bytedeco/") || name.startsWith("META-INF/maven/org.bytedeco/");
        }
    }
}
