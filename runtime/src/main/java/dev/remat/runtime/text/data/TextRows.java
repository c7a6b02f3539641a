package dev.remat.runtime.text.data;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.remat.ir.io.ReadableFile;
import dev.remat.ir.json.SyntaxProblem;
import dev.remat.runtime.io.CorruptFileException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PushbackInputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/** The rows of a table with text in it: of CSV with a header (RFC 4180), or an object of JSON in each line. */
final class TextRows {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Path file;
    /** The line that the row begins in that is being read. */
    private long line = 1;

    private TextRows(Path file) {
        this.file = file;
    }

    interface Action {
        /** @param fields by column; of JSON those that are texts, numbers or truths */
        void take(long line, Map<String, String> fields);
    }

    static boolean isJson(Path file) {
        return file.toString().endsWith(".jsonl");
    }

    /** @throws CorruptFileException if a row is none, with its line */
    static void read(Path file, Action action) throws IOException {
        ReadableFile.check(file);
        TextRows rows = new TextRows(file);
        try (Reader reader = rows.open()) {
            if (isJson(file)) {
                rows.readJson(new BufferedReader(reader), action);
            } else {
                rows.readCsv(reader, action);
            }
        } catch (CharacterCodingException e) {
            throw rows.corrupt("the text is not UTF-8");
        }
    }

    private Reader open() throws IOException {
        InputStream content = Files.newInputStream(file);
        PushbackInputStream bytes = new PushbackInputStream(content, BYTE_ORDER_MARK.length);
        byte[] begin = bytes.readNBytes(BYTE_ORDER_MARK.length);
        if (!Arrays.equals(begin, BYTE_ORDER_MARK)) {
            bytes.unread(begin);
        }
        return new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder());
    }

    private void readCsv(Reader reader, Action action) throws IOException {
        CSVFormat format = CSVFormat.RFC4180.builder().setIgnoreEmptyLines(true).build();
        try (CSVParser parser = CSVParser.parse(reader, format)) {
            Iterator<CSVRecord> records = parser.iterator();
            if (!records.hasNext()) {
                throw corrupt("there is no header");
            }
            CSVRecord header = records.next();
            Map<String, String> fields = new LinkedHashMap<>();
            for (String column : header) {
                if (column.isBlank() || fields.put(column.strip(), "") != null) {
                    throw corrupt("the column '" + column + "' has no name, or another's");
                }
            }
            line = parser.getCurrentLineNumber() + 1;
            while (records.hasNext()) {
                CSVRecord row = records.next();
                if (row.size() != header.size()) {
                    throw corrupt(row.size() + " fields, the header has " + header.size());
                }
                int at = 0;
                for (String column : header) {
                    fields.put(column.strip(), row.get(at++));
                }
                action.take(line, fields);
                line = parser.getCurrentLineNumber() + 1;
            }
        } catch (UncheckedIOException e) {
            String message = String.valueOf(e.getCause().getMessage());
            if (message.contains("encapsulated")) {
                throw corrupt(
                        message.contains("EOF") ? "a quote is not closed" : "a quoted field goes on after its quote");
            }
            throw e.getCause();
        }
    }

    private void readJson(BufferedReader reader, Action action) throws IOException {
        for (String text = reader.readLine(); text != null; text = reader.readLine()) {
            if (!text.isBlank()) {
                action.take(line, object(text));
            }
            line++;
        }
    }

    private Map<String, String> object(String text) throws IOException {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw corrupt("is no object of JSON");
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (value != null && value.isScalarValue() && value != JsonToken.VALUE_NULL) {
                    fields.put(name, json.getText());
                }
                json.skipChildren();
            }
            if (json.nextToken() != null) {
                throw corrupt("goes on behind its object");
            }
        } catch (JsonProcessingException e) {
            throw corrupt("is not valid JSON: " + SyntaxProblem.of(e));
        }
        return fields;
    }

    private CorruptFileException corrupt(String problem) {
        return new CorruptFileException(file, "line " + line + ": " + problem);
    }
}
