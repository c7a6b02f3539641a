package dev.remat.compiler.onnx.read;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** What people take for a model of ONNX, by its first bytes. */
final class KnownFormats {
    private static final int HEAD = 64;

    private KnownFormats() {}

    /** @throws DamagedOnnxException with the name of what it is */
    static void refuse(MemorySegment file) {
        byte[] bytes = file.asSlice(0, Math.min(HEAD, file.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        String head = new String(bytes, StandardCharsets.ISO_8859_1);
        String lower = head.stripLeading().toLowerCase(Locale.ROOT);
        if (head.isEmpty()) {
            throw new DamagedOnnxException("the file is empty");
        } else if (head.startsWith("PK\3\4")) {
            throw new DamagedOnnxException("this is a zip archive; unpack it and import what is in it");
        } else if (head.startsWith("\37\213")) {
            throw new DamagedOnnxException("this is compressed by gzip; unpack it first");
        } else if (head.startsWith("ORTM", 4)) {
            throw new DamagedOnnxException(
                    "this is a model of ONNX Runtime's own format, .ort; import the .onnx that it was made of");
        } else if (head.startsWith("\0\0\0\0{", 4)) {
            throw new DamagedOnnxException(
                    "these are weights alone, as safetensors; import the folder that has them and their config.json");
        } else if (lower.startsWith("<!doctype") || lower.startsWith("<html")) {
            throw new DamagedOnnxException("this is a page of HTML, perhaps of a download that failed");
        } else if (head.startsWith("version https://git-lfs")) {
            throw new DamagedOnnxException("this is a pointer of Git LFS, not the file itself; 'git lfs pull' gets it");
        }
    }
}
