package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;

/** How files are read and written: bounded nesting and strings, no field twice, streams left open. */
public final class JsonText {
    private static final int MAX_NESTING = 16;
    private static final int MAX_STRING = 1 << 16;
    private static final int MAX_DIGITS = 1000;

    public static final JsonFactory FACTORY = JsonFactory.builder()
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

    private JsonText() {}
}
