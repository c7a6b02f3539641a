package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads what commands print as JSON. */
final class JsonFields {
    private JsonFields() {}

    /** Every scalar by its path; of arrays the last element. */
    static Map<String, String> of(String json) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(json)) {
            while (parser.nextToken() != null) {
                if (parser.currentToken().isScalarValue() && parser.currentName() != null) {
                    String path = parser.getParsingContext().pathAsPointer().toString();
                    fields.put(path.substring(1).replaceAll("/\\d+", "").replace('/', '.'), parser.getText());
                } else {
                    assertThat(parser.currentToken()).isNotEqualTo(JsonToken.NOT_AVAILABLE);
                }
            }
        }
        return fields;
    }
}
