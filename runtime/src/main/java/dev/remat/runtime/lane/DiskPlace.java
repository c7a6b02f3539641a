package dev.remat.runtime.lane;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * A place in a file that no page cache holds, since that would take the memory that the place is to save. The file has
 * its full size before the first byte is stored, and never a name: nothing is left of it, however the process ends.
 */
public final class DiskPlace implements Place {
    /** Places, sizes and addresses of what is moved are multiples of it, in bytes. */
    public static final long BLOCK = 4096;

    /** File systems that are memory themselves. */
    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs");

    private final DirectFile file;

    /**
     * @param folder that the file lies in
     * @param bytes of the file, which are taken at once
     * @throws PlaceException if the folder has no direct access to a disk, or not so much room
     */
    public DiskPlace(Path folder, long bytes) {
        if (!Files.isDirectory(folder)) {
            throw new PlaceException("there is no folder " + folder);
        }
        try {
            FileStore store = Files.getFileStore(folder);
            if (MEMORY.contains(store.type())) {
                throw new PlaceException(folder + " lies in memory (" + store.type() + "), not on a disk");
            }
            long size = Math.ceilDiv(bytes, BLOCK) * BLOCK;
            long free = store.getUsableSpace();
            if (free < size) {
                throw new PlaceException(folder + " has " + free + " bytes free, and the plan takes " + size);
            }
            file = new DirectFile(folder, size);
        } catch (IOException e) {
            throw new PlaceException(
                    folder + " cannot be a place for tensors of " + bytes + " bytes: " + e.getMessage(), e);
        }
    }

    @Override
    public void store(MemorySegment source, long offset) throws IOException {
        file.write(source, offset);
    }

    @Override
    public void fetch(long offset, MemorySegment target) throws IOException {
        file.read(target, offset);
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException e) {
            throw new PlaceException("a file of tensors cannot be closed: " + e.getMessage(), e);
        }
    }
}
