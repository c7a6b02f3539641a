package dev.remat.runtime.log;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * A file that TensorBoard reads: records framed as TensorFlow's TFRecord, each a message {@code Event} of its
 * {@code event.proto}. Scalars are f32 there. Every event tells when it was written, so the bytes of two runs differ.
 */
final class EventFile implements AutoCloseable {
    /** TensorBoard takes every file whose name contains {@code tfevents}, in the order of the names. */
    private static final Pattern NAME = Pattern.compile("events\\.out\\.tfevents\\.([0-9]{10})\\.remat");

    private static final String VERSION = "brain.Event:2";
    private static final double NANOS = 1e9;
    private static final int CRC_ROTATION = 15;
    private static final int CRC_MASK = 0xa282ead8;

    // Fields of Event.
    private static final int WALL_TIME = 1;
    private static final int STEP = 2;
    private static final int FILE_VERSION = 3;
    private static final int SUMMARY = 5;
    private static final int SESSION_LOG = 7;
    // Of SessionLog, and a value of its status.
    private static final int STATUS = 1;
    private static final int START = 1;
    // Of Summary.
    private static final int VALUE = 1;
    // Of Summary.Value.
    private static final int TAG = 1;
    private static final int SIMPLE_VALUE = 2;

    private final AppendedFile file;

    private EventFile(AppendedFile file) {
        this.file = file;
    }

    /** Begins a file that is read after all those of earlier runs. */
    static EventFile create(Path folder) throws IOException {
        long seconds = Instant.now().getEpochSecond();
        for (Path earlier : in(folder)) {
            Matcher name = NAME.matcher(earlier.getFileName().toString());
            if (name.matches()) {
                seconds = Math.max(seconds, Long.parseLong(name.group(1)) + 1);
            }
        }
        while (true) {
            try {
                EventFile events = new EventFile(AppendedFile.create(
                        folder.resolve(String.format(Locale.ROOT, "events.out.tfevents.%010d.remat", seconds))));
                events.file.append(record(event().text(FILE_VERSION, VERSION)));
                return events;
            } catch (FileAlreadyExistsException e) {
                seconds++;
            }
        }
    }

    /** Those that runs have left in a folder, as their names tell, in the order of the names. */
    static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            file -> NAME.matcher(file.getFileName().toString()).matches())
                    .sorted()
                    .toList();
        }
    }

    /** Says that of steps from {@code step} on only what comes from here on holds, whatever earlier files have. */
    void restart(long step) throws IOException {
        ProtoMessage session = new ProtoMessage().number(STATUS, START);
        file.append(record(event().number(STEP, step).message(SESSION_LOG, session)));
    }

    /** Adds a point to the curves that the values are named after. */
    void append(long step, SequencedMap<String, Number> values) throws IOException {
        ProtoMessage summary = new ProtoMessage();
        for (Map.Entry<String, Number> value : values.entrySet()) {
            summary.message(
                    VALUE,
                    new ProtoMessage()
                            .text(TAG, value.getKey())
                            .real(SIMPLE_VALUE, value.getValue().floatValue()));
        }
        file.append(record(event().number(STEP, step).message(SUMMARY, summary)));
    }

    private static ProtoMessage event() {
        Instant now = Instant.now();
        return new ProtoMessage().real(WALL_TIME, now.getEpochSecond() + now.getNano() / NANOS);
    }

    /** The length and its check sum, the message and its. */
    private static byte[] record(ProtoMessage event) {
        byte[] message = event.toBytes();
        byte[] length = little(Long.BYTES).putLong(message.length).array();
        ByteArrayOutputStream record = new ByteArrayOutputStream();
        for (byte[] part : List.of(length, message)) {
            record.writeBytes(part);
            record.writeBytes(little(Integer.BYTES).putInt(maskedCrc(part)).array());
        }
        return record.toByteArray();
    }

    /** CRC-32C, changed so that a check sum of data that holds check sums is one of something else. */
    private static int maskedCrc(byte[] data) {
        CRC32C crc = new CRC32C();
        crc.update(data);
        return Integer.rotateRight((int) crc.getValue(), CRC_ROTATION) + CRC_MASK;
    }

    private static ByteBuffer little(int size) {
        return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
