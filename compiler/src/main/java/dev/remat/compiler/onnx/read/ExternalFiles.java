package dev.remat.compiler.onnx.read;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Files beside a model that hold weights. A location is a path below the model's folder; links are followed where they
 * stay in that folder, or beside the file that the model itself is a link to, as in Hugging Face's cache.
 */
final class ExternalFiles {
    private static final long PIECE = 1 << 20;

    private final Path model;
    private final boolean followLinks;
    private final Arena arena;
    private final SortedMap<String, MemorySegment> mapped = new TreeMap<>();
    private final SortedMap<String, String> sums = new TreeMap<>();

    ExternalFiles(Path model, boolean followLinks, Arena arena) {
        this.model = model;
        this.followLinks = followLinks;
        this.arena = arena;
    }

    MemorySegment bytes(OnnxTensor tensor, TensorData.Outside place) {
        String what = "tensor '" + tensor.name() + "'";
        MemorySegment file = mapped.computeIfAbsent(place.location(), location -> open(what, location));
        place.checksum().ifPresent(wanted -> {
            if (!sums.computeIfAbsent(place.location(), _ -> sha1(file)).equals(wanted.toLowerCase(Locale.ROOT))) {
                throw new DamagedOnnxException(
                        what + ": " + place.location() + " has another checksum than the model says");
            }
        });
        long bytes = tensor.byteSize();
        if (place.length().isPresent() && place.length().get() != bytes) {
            throw new DamagedOnnxException(what + " of " + tensor.type() + tensor.shape() + " has "
                    + place.length().get() + " bytes in " + place.location() + ", not " + bytes);
        }
        if (place.offset() > file.byteSize() || bytes > file.byteSize() - place.offset()) {
            throw new DamagedOnnxException(
                    what + " lies beyond the end of " + place.location() + ", which has " + file.byteSize() + " bytes");
        }
        return file.asSlice(place.offset(), bytes);
    }

    private MemorySegment open(String what, String location) {
        Path relative = relative(what, location);
        Path folder = model.toAbsolutePath().getParent();
        Path file = folder.resolve(relative);
        try {
            if (!Files.isRegularFile(file)) {
                throw new DamagedOnnxException(what + " is in " + location + ", and "
                        + (Files.exists(file) ? "that is no file" : "there is no such file beside the model"));
            }
            Path target = file.toRealPath();
            boolean isBeside = target.startsWith(folder.toRealPath())
                    || target.startsWith(model.toRealPath().getParent());
            if (!isBeside && !followLinks) {
                throw new DamagedOnnxException(
                        what + " is in " + location + ", a link that leads out of the model's folder," + " to " + target
                                + "; --follow-links reads it");
            }
            return OnnxFile.map(file, arena);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path relative(String what, String location) {
        String trouble = location.isEmpty()
                ? "is empty"
                : location.indexOf('\0') >= 0
                        ? "has a NUL"
                        : location.indexOf('\\') >= 0
                                ? "has a backslash"
                                : location.startsWith("/") || location.matches("[A-Za-z]:.*") ? "is absolute" : "";
        if (trouble.isEmpty() && Path.of(location).normalize().getNameCount() > 0) {
            try {
                Path path = Path.of(location);
                for (Path part : path) {
                    if (part.toString().equals("..")) {
                        trouble = "leads out of the model's folder";
                    }
                }
                if (trouble.isEmpty()) {
                    return path;
                }
            } catch (InvalidPathException e) {
                trouble = "is no path";
            }
        }
        throw new DamagedOnnxException(
                what + " is in a file whose location " + (trouble.isEmpty() ? "is no file" : trouble));
    }

    private static String sha1(MemorySegment file) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            for (long at = 0; at < file.byteSize(); at += PIECE) {
                ByteBuffer piece =
                        file.asSlice(at, Math.min(PIECE, file.byteSize() - at)).asByteBuffer();
                digest.update(piece);
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-1", e);
        }
    }
}
