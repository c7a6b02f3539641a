package dev.remat.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class NewerClassFilesTest {
    @TempDir
    Path folder;

    private String old;
    private String recent;

    @BeforeEach
    void find() {
        old = jarOf(CommandLine.class);
        recent = jarOf(JsonFactory.class);
    }

    @Test
    void copiesAnOldLibraryIntoClassesThatTheVerifierOfTodayTakes() throws IOException {
        String copied = NewerClassFiles.copyOld(old, folder);

        assertThat(Path.of(copied)).hasParent(folder);
        ClassFile classes = ClassFile.of(ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(getClass().getClassLoader())));
        try (JarFile before = new JarFile(old);
                JarFile after = new JarFile(copied)) {
            List<String> names = names(before);
            assertThat(names(after)).containsExactlyInAnyOrderElementsOf(names);
            for (String name : names) {
                byte[] bytes = read(after, name);
                if (name.endsWith(".class")) {
                    assertThat(classes.parse(bytes).majorVersion()).as(name).isGreaterThanOrEqualTo(50);
                    assertThat(classes.verify(bytes)).as(name).isEmpty();
                } else {
                    assertThat(bytes).as(name).isEqualTo(read(before, name));
                }
            }
        }
    }

    @Test
    void leavesWhatIsNewEnoughOrNoJar() throws IOException {
        String path = String.join(File.pathSeparator, recent, folder.toString(), "missing");
        assertThat(NewerClassFiles.copyOld(path, folder)).isEqualTo(path);
        assertThat(folder).isEmptyDirectory();
    }

    private static String jarOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }

    private static List<String> names(JarFile jar) {
        return Collections.list(jar.entries()).stream().map(JarEntry::getName).toList();
    }

    private static byte[] read(JarFile jar, String name) throws IOException {
        try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            return in.readAllBytes();
        }
    }
}
