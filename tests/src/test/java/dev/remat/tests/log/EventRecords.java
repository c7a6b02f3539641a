package dev.remat.tests.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Reads TensorBoard's event files, and refuses what is torn or has a wrong check sum. */
public final class EventRecords {
    private static final int CASTAGNOLI_REFLECTED = 0x82f63b78;

    private EventRecords() {}

    /**
     * An event.
     *
     * @param version of the file, in its first event
     * @param restart whether a session begins
     */
    public record Event(
            double seconds,
            long step,
            Optional<String> version,
            boolean restart,
            SequencedMap<String, Float> scalars) {}

    /** All event files of a folder, in the order in which TensorBoard reads them. */
    public static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().contains("tfevents"))
                    .sorted()
                    .toList();
        }
    }

    /**
     * What TensorBoard shows: by tag the value of each step. A session that begins hides what earlier ones have told of
     * its step and of those behind.
     *
     * @throws AssertionError if a step is there twice
     */
    public static SortedMap<String, SortedMap<Long, Float>> shown(Path folder) throws IOException {
        SortedMap<String, SortedMap<Long, Float>> shown = new TreeMap<>();
        for (Path file : files(folder)) {
            for (Event event : read(file)) {
                if (event.restart()) {
                    shown.values()
                            .forEach(points -> points.tailMap(event.step()).clear());
                }
                for (Map.Entry<String, Float> scalar : event.scalars().entrySet()) {
                    Float before = shown.computeIfAbsent(scalar.getKey(), tag -> new TreeMap<>())
                            .put(event.step(), scalar.getValue());
                    check(before == null, file + " has step " + event.step() + " twice");
                }
            }
        }
        return shown;
    }

    public static List<Event> read(Path file) throws IOException {
        ByteBuffer bytes = little(Files.readAllBytes(file));
        List<Event> events = new ArrayList<>();
        while (bytes.hasRemaining()) {
            check(bytes.remaining() >= 12, file + " ends in a length");
            byte[] length = take(bytes, 8);
            check(bytes.getInt() == masked(length), file + " has a wrong check sum of a length");
            long size = little(length).getLong();
            check(bytes.remaining() >= size + 4, file + " ends in a record");
            byte[] message = take(bytes, (int) size);
            check(bytes.getInt() == masked(message), file + " has a wrong check sum of a record");
            events.add(event(little(message)));
        }
        check(
                events.getFirst().version().equals(Optional.of("brain.Event:2")),
                file + " does not begin with its version");
        return events;
    }

    private static Event event(ByteBuffer in) {
        double seconds = 0;
        long step = 0;
        Optional<String> version = Optional.empty();
        boolean restart = false;
        SequencedMap<String, Float> scalars = new LinkedHashMap<>();
        while (in.hasRemaining()) {
            long key = varint(in);
            switch ((int) key) {
                case 1 << 3 | 1 -> seconds = in.getDouble();
                case 2 << 3 -> step = varint(in);
                case 3 << 3 | 2 -> version = Optional.of(string(in));
                case 5 << 3 | 2 -> scalars(part(in), scalars);
                case 7 << 3 | 2 -> {
                    ByteBuffer session = part(in);
                    check(varint(session) == (1 << 3), "a session without a status");
                    restart = varint(session) == 1;
                    check(!session.hasRemaining(), "a session with more than a status");
                }
                default -> throw new AssertionError("field " + (key >> 3) + " of an event");
            }
        }
        return new Event(seconds, step, version, restart, scalars);
    }

    private static void scalars(ByteBuffer in, SequencedMap<String, Float> scalars) {
        while (in.hasRemaining()) {
            check(varint(in) == (1 << 3 | 2), "a summary has more than values");
            ByteBuffer value = part(in);
            check(varint(value) == (1 << 3 | 2), "a value has no tag");
            String tag = string(value);
            check(varint(value) == (2 << 3 | 5), "the value of " + tag + " is no simple one");
            check(scalars.put(tag, value.getFloat()) == null, tag + " is there twice");
            check(!value.hasRemaining(), tag + " has more than a value");
        }
    }

    private static String string(ByteBuffer in) {
        return StandardCharsets.UTF_8.decode(part(in)).toString();
    }

    private static ByteBuffer part(ByteBuffer in) {
        return little(take(in, Math.toIntExact(varint(in))));
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value += (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private static byte[] take(ByteBuffer in, int size) {
        byte[] bytes = new byte[size];
        in.get(bytes);
        return bytes;
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static int masked(byte[] data) {
        int crc = crc32c(data);
        return (crc >>> 15 | crc << 17) + 0xa282ead8;
    }

    /** Bit by bit, after Castagnoli, Bräuer and Herrmann (1993). */
    static int crc32c(byte[] data) {
        int crc = -1;
        for (byte each : data) {
            crc ^= each & 0xff;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ CASTAGNOLI_REFLECTED;
            }
        }
        return ~crc;
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
