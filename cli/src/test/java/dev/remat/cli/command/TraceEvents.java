package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a trace as its format, the Trace Event Format, says that it must be. */
final class TraceEvents {
    /** Fields that an event of each phase has. */
    private static final Map<String, List<String>> FIELDS = Map.of(
            "X", List.of("name", "cat", "pid", "tid", "ts", "dur"),
            "C", List.of("name", "pid", "ts"),
            "M", List.of("name", "pid", "tid", "args.name"));

    private TraceEvents() {}

    /** Events with their scalar fields, those of their arguments as {@code args.NAME}. */
    static List<Map<String, String>> read(Path trace) throws IOException {
        List<Map<String, String>> events = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(Files.readString(trace))) {
            Map<String, String> event = new LinkedHashMap<>();
            int depth = 0;
            while (json.nextToken() != null) {
                JsonToken token = json.currentToken();
                depth += token == JsonToken.START_OBJECT ? 1 : token == JsonToken.END_OBJECT ? -1 : 0;
                if (token.isScalarValue() && depth >= 2) {
                    event.put((depth == 3 ? "args." : "") + json.currentName(), json.getText());
                }
                if (token == JsonToken.END_OBJECT && depth == 1) {
                    check(event);
                    events.add(event);
                    event = new LinkedHashMap<>();
                }
            }
        }
        return events;
    }

    private static void check(Map<String, String> event) {
        assertThat(FIELDS).containsKey(event.get("ph"));
        assertThat(event).containsKeys(FIELDS.get(event.get("ph")).toArray(String[]::new));
        for (String field : List.of("pid", "tid")) {
            if (event.containsKey(field)) {
                assertThat(event.get(field)).as(field).matches("\\d+");
            }
        }
        for (String field : List.of("ts", "dur")) {
            if (event.containsKey(field)) {
                assertThat(Double.parseDouble(event.get(field))).as(field).isNotNegative();
            }
        }
    }
}
