package dev.remat.tests.page;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One Chromium for all tests of pages, as an argument of theirs; where there is none, they are skipped. */
final class Browser implements BeforeAllCallback, ParameterResolver {
    /** Started when it is first asked for, and ended with the last test. */
    private record Started(Chromium chromium, Path folder) implements AutoCloseable {
        static Started start() {
            try {
                Path folder = Files.createTempDirectory("remat-browser");
                Path profile = Files.createDirectory(folder.resolve("profile"));
                return new Started(Chromium.start(Chromium.installed().orElseThrow(), profile), folder);
            } catch (IOException e) {
                throw new IllegalStateException("Chromium does not start", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while Chromium starts", e);
            }
        }

        @Override
        public void close() throws IOException {
            chromium.close();
            List<Path> files;
            try (Stream<Path> walk = Files.walk(folder)) {
                files = walk.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        assumeTrue(Chromium.installed().isPresent(), "Chromium is not installed, so no page is looked at");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Chromium.class;
    }

    @Override
    public Chromium resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.create(Browser.class))
                .getOrComputeIfAbsent(Started.class, _ -> Started.start(), Started.class)
                .chromium();
    }
}
