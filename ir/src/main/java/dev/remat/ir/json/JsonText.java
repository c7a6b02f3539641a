package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** How files are read and written: UTF-8 alone, bounded nesting and strings, no field twice, streams left open. */
public final class JsonText {
    private static final int MAX_NESTING = 16;
    private static final int MAX_STRING = 1 << 16;
    private static final int MAX_DIGITS = 1000;

    public static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
            .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxStringLength(MAX_STRING)
                    .maxNameLength(MAX_STRING)
                    .maxNumberLength(MAX_DIGITS)
                    .build())
            .build();

    private static final byte[] BYTE_ORDER_MARK = "\uFEFF".getBytes(StandardCharsets.UTF_8);

    private JsonText() {}

    /** A parser of {@code content}, which may begin with a byte order mark as whatever people have edited may. */
    public static JsonParser parser(JsonFactory factory, byte[] content) throws IOException {
        int mark = BYTE_ORDER_MARK.length;
        boolean isMarked = content.length >= mark && Arrays.equals(content, 0, mark, BYTE_ORDER_MARK, 0, mark);
        int begin = isMarked ? mark : 0;
        return factory.createParser(content, begin, content.length - begin);
    }
}
