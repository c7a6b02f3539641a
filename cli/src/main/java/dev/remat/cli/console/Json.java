package dev.remat.cli.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import dev.remat.ir.execution.ExecutionPlan;
import dev.remat.ir.execution.Section;
import dev.remat.ir.json.JsonFields;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SequencedMap;

/** JSON on a console's {@code out}. */
public final class Json {
    private static final JsonFactory FACTORY =
            JsonFactory.builder().disable(StreamWriteFeature.AUTO_CLOSE_TARGET).build();

    private Json() {}

    /** Writes the fields of one object. */
    @FunctionalInterface
    public interface Fields {
        void writeTo(JsonGenerator out) throws IOException;
    }

    /** One object, indented for people. */
    public static void print(Console console, Fields fields) throws IOException {
        DefaultIndenter indenter = new DefaultIndenter("  ", "\n");
        Separators separators = Separators.createDefaultInstance()
                .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                .withObjectEmptySeparator("")
                .withArrayEmptySeparator("");
        DefaultPrettyPrinter pretty = new DefaultPrettyPrinter(separators)
                .withObjectIndenter(indenter)
                .withArrayIndenter(indenter);
        try (JsonGenerator out = FACTORY.createGenerator(console.out())) {
            writeObject(out.setPrettyPrinter(pretty), fields);
        }
        console.out().println();
    }

    /** One object as a file, on a line. */
    public static byte[] bytes(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
            writeObject(out, fields);
            out.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory failed", e);
        }
        return bytes.toByteArray();
    }

    /** What {@link #bytes} has made, which has a field, with one more behind the others. */
    public static byte[] with(byte[] object, String field, long value) {
        String text = new String(object, StandardCharsets.UTF_8);
        String more = ",\"" + field + "\":" + value + "}\n";
        return (text.substring(0, text.lastIndexOf('}')) + more).getBytes(StandardCharsets.UTF_8);
    }

    /** One object on a line of its own. */
    public static void printLine(Console console, Fields fields) throws IOException {
        try (JsonGenerator out = FACTORY.createGenerator(console.out())) {
            writeObject(out, fields);
        }
        console.out().println();
    }

    /** The field {@code symbols}: extents by name. */
    public static void writeSymbols(JsonGenerator out, SequencedMap<String, Long> symbols) throws IOException {
        out.writeObjectFieldStart("symbols");
        for (Map.Entry<String, Long> symbol : symbols.entrySet()) {
            out.writeNumberField(symbol.getKey(), symbol.getValue());
        }
        out.writeEndObject();
    }

    /** The same, and {@code microBatches} where a batch is cut into several. */
    public static void writeSymbols(JsonGenerator out, SequencedMap<String, Long> symbols, int microBatches)
            throws IOException {
        writeSymbols(out, symbols);
        if (microBatches != 1) {
            out.writeNumberField("microBatches", microBatches);
        }
    }

    /** Where steps run in rounds the field {@code sections}: what each is for, its steps, and how often they run. */
    public static void writeSections(JsonGenerator out, ExecutionPlan plan) throws IOException {
        if (!plan.isInSections()) {
            return;
        }
        JsonFields.objects(out, "sections", plan.sections(), section -> writeSection(out, plan, section));
    }

    /** The fields of one of them. */
    public static void writeSection(JsonGenerator out, ExecutionPlan plan, Section section) throws IOException {
        out.writeStringField("name", plan.nameOf(section));
        out.writeNumberField("from", section.from());
        out.writeNumberField("to", section.to());
        out.writeNumberField("times", section.times());
    }

    private static void writeObject(JsonGenerator out, Fields fields) throws IOException {
        out.writeStartObject();
        fields.writeTo(out);
        out.writeEndObject();
    }
}
