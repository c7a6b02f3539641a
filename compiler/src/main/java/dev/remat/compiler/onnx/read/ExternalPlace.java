package dev.remat.compiler.onnx.read;

import java.util.Optional;

/** What a tensor says of the file that its bytes are in. */
final class ExternalPlace {
    private Optional<String> location = Optional.empty();
    private Optional<Long> length = Optional.empty();
    private Optional<String> checksum = Optional.empty();
    private long offset;

    /** Reads one {@code StringStringEntryProto}. */
    void read(Wire in) {
        String key = "";
        String value = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> key = in.text();
                case 2 -> value = in.text();
                default -> in.skip();
            }
        }
        switch (key) {
            case "location" -> location = Optional.of(value);
            case "offset" -> offset = size(in, key, value);
            case "length" -> length = Optional.of(size(in, key, value));
            case "checksum" -> checksum = Optional.of(value);
            default -> throw in.damaged("external data says '" + key + "', which means nothing");
        }
    }

    private static long size(Wire in, String key, String value) {
        if (!value.matches("\\d{1,18}")) {
            throw in.damaged("external data has the " + key + " '" + value + "'");
        }
        return Long.parseLong(value);
    }

    TensorData.Outside data(long begin, String what) {
        return new TensorData.Outside(
                location.orElseThrow(() -> new DamagedOnnxException(begin, what + " is nowhere")),
                offset,
                length,
                checksum);
    }
}
