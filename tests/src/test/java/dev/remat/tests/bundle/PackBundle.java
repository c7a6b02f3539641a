package dev.remat.tests.bundle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Packs a folder by {@code tar} and {@code xz}, to the same bytes from the same files. Files of a name stand side by
 * side, and all of them in one dictionary, so that what cases have in common is packed once.
 */
final class PackBundle {
    /** The dictionary is what unpacking takes of memory. */
    private static final String COMPRESS = "xz --threads=1 --x86 --lzma2=preset=9,dict=128MiB";

    private PackBundle() {}

    /** @param archive is replaced; what it holds lies in a folder that is called as {@code folder} is */
    static void run(Path folder, Path archive) throws IOException {
        Path list = Files.createTempFile("bundle", ".files");
        try {
            try (Stream<Path> files = Files.walk(folder)) {
                Files.write(
                        list,
                        files.filter(file -> !Files.isDirectory(file))
                                .map(folder.getParent()::relativize)
                                .sorted(byContent())
                                .map(Path::toString)
                                .toList());
            }
            Tool.run(List.of(
                    "tar",
                    "--create",
                    "--file=" + archive,
                    "--directory=" + folder.getParent(),
                    "--format=ustar",
                    "--owner=0",
                    "--group=0",
                    "--numeric-owner",
                    "--mtime=1980-01-01 00:00:00Z",
                    "--mode=u+rw,go+r-w",
                    "--use-compress-program=" + COMPRESS,
                    "--files-from=" + list));
        } finally {
            Files.delete(list);
        }
    }

    /** Within the cases by the file's name, elsewhere by the path. */
    private static Comparator<Path> byContent() {
        return Comparator.<Path, String>comparing(path -> path.toString().contains(MakeBundle.CASES)
                        ? path.getFileName().toString()
                        : "")
                .thenComparing(Path::toString);
    }
}
