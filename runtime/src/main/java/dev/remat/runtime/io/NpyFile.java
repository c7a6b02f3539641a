package dev.remat.runtime.io;

import dev.remat.ir.diagnostic.Count;
import dev.remat.ir.io.ReadableFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads NumPy's {@code .npy} format, versions 1 to 3, in C order and little-endian. */
final class NpyFile {
    private static final int MAX_HEADER_BYTES = 1 << 16;
    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final Pattern HEADER = Pattern.compile("\\{\\s*'descr'\\s*:\\s*'([^']{1,16})'\\s*,"
            + "\\s*'fortran_order'\\s*:\\s*(True|False)\\s*,"
            + "\\s*'shape'\\s*:\\s*\\(([0-9, ]{0,400})\\)\\s*,?\\s*\\}\\s*");

    private NpyFile() {}

    /**
     * Maps an array into the arena's lifetime, under the file's name without its ending.
     *
     * @throws CorruptFileException if the file is damaged or holds what the IR has no use for
     */
    static StoredTensor map(Path file, Arena arena) throws IOException {
        ReadableFile.check(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            MemorySegment bytes = channel.map(MapMode.READ_ONLY, 0, size, arena);
            if (size < 12 || bytes.asSlice(0, MAGIC.length).mismatch(MemorySegment.ofArray(MAGIC)) != -1) {
                throw new CorruptFileException(file, "not an npy file");
            }
            int version = bytes.get(ValueLayout.JAVA_BYTE, 6);
            if (version < 1 || version > 3) {
                throw new CorruptFileException(file, "npy version " + version + " is unknown");
            }
            int start = version == 1 ? 10 : 12;
            int length = version == 1 ? Short.toUnsignedInt(bytes.get(SHORT, 8)) : bytes.get(INT, 8);
            if (length < 0 || length > MAX_HEADER_BYTES || start + length > size) {
                throw new CorruptFileException(file, "the header's length " + length + " is impossible");
            }
            byte[] header = bytes.asSlice(start, length).toArray(ValueLayout.JAVA_BYTE);
            return parse(file, new String(header, StandardCharsets.UTF_8), bytes.asSlice(start + length));
        }
    }

    private static StoredTensor parse(Path file, String header, MemorySegment data) {
        Matcher fields = HEADER.matcher(header);
        if (!fields.matches()) {
            throw new CorruptFileException(file, "the header is not understood: " + header.strip());
        }
        StoredType type = typeOf(file, fields.group(1));
        if (fields.group(2).equals("True")) {
            throw new CorruptFileException(file, "in Fortran order; save numpy.ascontiguousarray(x) instead");
        }
        List<Long> shape = new ArrayList<>();
        long bytes;
        try {
            for (String extent : fields.group(3).split(",")) {
                if (!extent.isBlank()) {
                    shape.add(Long.valueOf(extent.strip()));
                }
            }
            bytes = StoredTensor.byteSize(type, shape);
        } catch (NumberFormatException | ArithmeticException e) {
            throw new CorruptFileException(file, "the shape (" + fields.group(3) + ") is impossible", e);
        }
        if (bytes != data.byteSize()) {
            throw new CorruptFileException(
                    file,
                    "an array of " + type + shape + " takes " + Count.bytes(bytes) + ", the file has "
                            + data.byteSize());
        }
        String name = file.getFileName().toString();
        return new StoredTensor(name.substring(0, name.length() - ".npy".length()), type, shape, data);
    }

    private static StoredType typeOf(Path file, String description) {
        return switch (description) {
            case "<f8" -> StoredType.F64;
            case "<f4" -> StoredType.F32;
            case "<f2" -> StoredType.F16;
            case "<i8" -> StoredType.I64;
            case "<i4" -> StoredType.I32;
            case "<i2" -> StoredType.I16;
            case "|i1" -> StoredType.I8;
            case "<u8" -> StoredType.U64;
            case "<u4" -> StoredType.U32;
            case "<u2" -> StoredType.U16;
            case "|u1" -> StoredType.U8;
            case "|b1" -> StoredType.BOOL;
            default ->
                throw new CorruptFileException(
                        file,
                        "arrays of type '" + description
                                + "' cannot be read; convert with astype('<f4') or another little-endian number type");
        };
    }
}
