package dev.remat.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;

/**
 * Copies libraries that were compiled for a Java before 6 into class files that the JVM's AOT cache takes: code stays as it
 * is, and has maps of its stack with it, without which a class is verified in another way and loaded anew at every start.
 */
public final class NewerClassFiles {
    /** Of a class file: its magic number, and versions, minor and major, in two bytes each. */
    private static final int HEADER = 8;

    private NewerClassFiles() {}

    /** Prints the class path of this process as it is with copies in the folder {@code args[0]}. */
    public static void main(String[] args) throws IOException {
        System.out.println(copyOld(System.getProperty("java.class.path"), Path.of(args[0])));
    }

    /** A class path with copies in {@code folder} of those of its jars that are too old. */
    static String copyOld(String classPath, Path folder) throws IOException {
        List<String> path = new ArrayList<>();
        for (String entry : classPath.split(File.pathSeparator)) {
            path.add(
                    entry.endsWith(".jar") && isOld(entry) ? copy(entry, folder).toString() : entry);
        }
        return String.join(File.pathSeparator, path);
    }

    private static boolean isOld(String jar) throws IOException {
        try (JarFile file = new JarFile(jar)) {
            for (JarEntry entry : Collections.list(file.entries())) {
                if (isClass(entry)) {
                    try (InputStream in = file.getInputStream(entry)) {
                        if (isOld(in.readNBytes(HEADER))) {
                            return true;
                        }
                    }
                }
            }
            return false;
        }
    }

    private static Path copy(String jar, Path folder) throws IOException {
        ClassFile classes = ClassFile.of(
                StackMapsOption.GENERATE_STACK_MAPS,
                // What shares constants is copied as bytes, and gets no maps.
                ConstantPoolSharingOption.NEW_POOL,
                ClassHierarchyResolverOption.of(
                        ClassHierarchyResolver.ofResourceParsing(ClassLoader.getSystemClassLoader())));
        Path copied = folder.resolve(Path.of(jar).getFileName());
        try (JarFile from = new JarFile(jar);
                JarOutputStream to = new JarOutputStream(Files.newOutputStream(copied))) {
            for (JarEntry entry : Collections.list(from.entries())) {
                byte[] bytes;
                try (InputStream in = from.getInputStream(entry)) {
                    bytes = in.readAllBytes();
                }
                JarEntry renewed = new JarEntry(entry.getName());
                renewed.setTime(entry.getTime());
                to.putNextEntry(renewed);
                to.write(isClass(entry) && isOld(bytes) ? renew(classes, classes.parse(bytes)) : bytes);
            }
        }
        return copied;
    }

    private static byte[] renew(ClassFile classes, ClassModel old) {
        return classes.transformClass(old, (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(ClassFile.JAVA_6_VERSION, 0);
            } else {
                builder.with(element);
            }
        });
    }

    private static boolean isClass(JarEntry entry) {
        return entry.getName().endsWith(".class");
    }

    private static boolean isOld(byte[] header) {
        return header.length >= HEADER && ((header[6] & 0xff) << 8 | header[7] & 0xff) < ClassFile.JAVA_6_VERSION;
    }
}
