package dev.remat.compiler.onnx.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A {@code ValueInfoProto}: what a file says of an input, an output or a value between.
 *
 * @param kind "tensor", or what else it is: "sequence", "map", "optional", "sparse tensor"; "" where nothing is said
 * @param type of the elements of a tensor, where it is said
 * @param shape of a tensor, where it is said
 */
public record ValueInfo(String name, String kind, Optional<ElementType> type, Optional<List<Extent>> shape) {
    public static final String TENSOR = "tensor";

    /**
     * Extent of one axis.
     *
     * @param value if it is a number
     * @param name {@code dim_param}, empty if there is none
     */
    public record Extent(Optional<Long> value, String name) {}

    static ValueInfo read(Wire in) {
        String name = "";
        ValueInfo found = new ValueInfo("", "", Optional.empty(), Optional.empty());
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> found = type(in.message());
                default -> in.skip();
            }
        }
        return new ValueInfo(name, found.kind(), found.type(), found.shape());
    }

    private static ValueInfo type(Wire in) {
        ValueInfo found = new ValueInfo("", "", Optional.empty(), Optional.empty());
        while (in.next()) {
            switch (in.field()) {
                case 1 -> found = tensor(in.message());
                case 4, 5, 8, 9 -> {
                    String kind = switch (in.field()) {
                        case 4 -> "sequence";
                        case 5 -> "map";
                        case 8 -> "sparse tensor";
                        default -> "optional";
                    };
                    found = new ValueInfo("", kind, Optional.empty(), Optional.empty());
                    in.skip();
                }
                default -> in.skip();
            }
        }
        return found;
    }

    private static ValueInfo tensor(Wire in) {
        Optional<ElementType> type = Optional.empty();
        Optional<List<Extent>> shape = Optional.empty();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> {
                    long number = in.number();
                    type = number == 0 ? Optional.empty() : ElementType.of(number);
                }
                case 2 -> shape = Optional.of(shape(in.message()));
                default -> in.skip();
            }
        }
        return new ValueInfo("", TENSOR, type, shape);
    }

    private static List<Extent> shape(Wire in) {
        List<Extent> shape = new ArrayList<>();
        while (in.next()) {
            if (in.field() == 1) {
                shape.add(extent(in.message()));
            } else {
                in.skip();
            }
        }
        return shape;
    }

    private static Extent extent(Wire in) {
        Optional<Long> value = Optional.empty();
        String name = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> value = Optional.of(in.number());
                case 2 -> name = in.text();
                default -> in.skip();
            }
        }
        // Some exporters write 0 or -1 where an extent is open.
        return new Extent(value.filter(number -> number > 0), name);
    }
}
