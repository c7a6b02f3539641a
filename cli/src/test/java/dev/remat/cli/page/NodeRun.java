package dev.remat.cli.page;

import com.caoccao.javet.exceptions.JavetException;
import com.caoccao.javet.interop.NodeRuntime;
import com.caoccao.javet.interop.V8Host;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Node, as a library of this process: what checks and tests the scripts of pages. */
final class NodeRun implements AutoCloseable {
    private static final String COMPILER = "typescript.js";

    private final NodeRuntime node;

    NodeRun() throws JavetException {
        node = V8Host.getNodeInstance().createV8Runtime();
    }

    /** Loads a file of a module as a global name. */
    void load(String name, Path file) throws JavetException {
        node.getExecutor("globalThis.%s = require(%s); 0".formatted(name, quoted(file.toString())))
                .executeVoid();
    }

    /** The value of an expression, as text. */
    String text(String expression) throws JavetException {
        return node.getExecutor("String(" + expression + ")").executeString();
    }

    List<String> lines(String expression) throws JavetException {
        return text("(" + expression + ").join('\\n')").lines().toList();
    }

    static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    /** Unpacks the compiler of TypeScript with its declarations; the file to load. */
    static Path compiler(Path folder) throws IOException {
        String version = NodeRun.class
                .getClassLoader()
                .getResource("META-INF/maven/org.webjars.npm/typescript/pom.properties")
                .toString();
        JarURLConnection jar = (JarURLConnection) URI.create(version).toURL().openConnection();
        try (ZipFile zip = new ZipFile(jar.getJarFile().getName())) {
            for (ZipEntry entry : zip.stream().toList()) {
                String name = entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
                boolean declares = name.startsWith("lib.") && name.endsWith(".d.ts");
                if (entry.getName().contains("/lib/" + name) && (declares || name.equals(COMPILER))) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        Files.copy(in, folder.resolve(name));
                    }
                }
            }
        }
        return folder.resolve(COMPILER);
    }

    @Override
    public void close() throws JavetException {
        node.close();
    }
}
