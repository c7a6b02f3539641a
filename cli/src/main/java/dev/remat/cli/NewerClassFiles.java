package dev.remat.cli;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Copies libraries that were compiled for a Java before 6 into class files that the AOT cache of the JVM takes: with
 * maps of the stack, without which classes are verified in a way of their own, at every start.
 */
public final class NewerClassFiles {
    private static final ClassFile CLASSES = ClassFile.of(
            ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            // What shares constants is copied as bytes, and gets no maps.
            ClassFile.ConstantPoolSharingOption.NEW_POOL,
            ClassFile.ClassHierarchyResolverOption.of(
                    ClassHierarchyResolver.ofResourceParsing(ClassLoader.getSystemClassLoader())));

    private NewerClassFiles() {}

    /** Prints the class path of this process as it is with copies in the folder {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        System.out.println(copyOld(System.getProperty("java.class.path"), Path.of(args[0])));
    }

    /** A class path with copies in {@code folder} of those of its jars that are too old. */
    static String copyOld(String classPath, Path folder) throws IOException {
        List<String> path = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            path.add(entry.endsWith(".jar") ? copyIfOld(Path.of(entry), folder).toString() : entry);
        }
        return String.join(File.pathSeparator, path);
    }

    private static Path copyIfOld(Path jar, Path folder) throws IOException {
        try (FileSystem zip = FileSystems.newFileSystem(jar)) {
            if (oldClasses(zip).isEmpty()) {
                return jar;
            }
        }
        Path copied = Files.copy(jar, folder.resolve(jar.getFileName()), StandardCopyOption.REPLACE_EXISTING);
        try (FileSystem zip = FileSystems.newFileSystem(copied)) {
            for (Path file : oldClasses(zip)) {
                Files.write(file, CLASSES.transformClass(CLASSES.parse(file), (builder, element) -> {
                    if (element instanceof ClassFileVersion) {
                        builder.withVersion(ClassFile.JAVA_6_VERSION, 0);
                    } else {
                        builder.with(element);
                    }
                }));
            }
        }
        return copied;
    }

    private static List<Path> oldClasses(FileSystem jar) throws IOException {
        List<Path> old = new ArrayList<>();
        try (Stream<Path> all = Files.walk(jar.getPath("/"))) {
            for (Path file : (Iterable<Path>) all::iterator) {
                if (file.toString().endsWith(".class")
                        && CLASSES.parse(file).majorVersion() < ClassFile.JAVA_6_VERSION) {
                    old.add(file);
                }
            }
        }
        return old;
    }
}
