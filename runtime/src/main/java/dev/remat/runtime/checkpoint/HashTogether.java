package dev.remat.runtime.checkpoint;

import dev.remat.runtime.process.ProcessGroup;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Hashes a file by all ranks that see the same one, a part of its blocks each. Those of another machine read it over
 * another way, or have a copy, and so hash it again.
 */
final class HashTogether {
    private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

    private HashTogether() {}

    /** What all ranks of a group ask for at a time. */
    static HashedFile run(ProcessGroup group, Path file, long blockBytes) throws IOException {
        List<String> seen = told(group, identity(file));
        List<Integer> mates = IntStream.range(0, group.ranks())
                .filter(rank -> seen.get(rank).equals(seen.get(group.rank())))
                .boxed()
                .toList();
        int own = mates.indexOf(group.rank());
        HashedFile.Part part = HashedFile.read(file, blockBytes, block -> block % mates.size() == own);
        List<String> hashes = told(group, String.join("\n", part.blocks()));
        List<List<String>> each =
                mates.stream().map(rank -> hashes.get(rank).lines().toList()).toList();
        List<String> blocks = new ArrayList<>();
        for (int block = 0; block < HashedFile.count(part.bytes(), blockBytes); block++) {
            blocks.add(each.get(block % mates.size()).get(block / mates.size()));
        }
        return new HashedFile(part.bytes(), blockBytes, blocks);
    }

    private static List<String> told(ProcessGroup group, String own) {
        return group.all(own.getBytes(StandardCharsets.UTF_8)).stream()
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .toList();
    }

    /** Equal where ranks see one file as one system has it. */
    private static String identity(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        return String.join(
                " ",
                Files.readString(BOOT).strip(),
                String.valueOf(attributes.fileKey()),
                String.valueOf(attributes.size()),
                String.valueOf(attributes.lastModifiedTime()));
    }
}
