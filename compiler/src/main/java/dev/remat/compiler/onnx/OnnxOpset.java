package dev.remat.compiler.onnx;

/**
 * A version of ONNX's operators.
 *
 * @param version from {@link #FIRST} to {@link #LAST}
 */
public record OnnxOpset(int version) {
    public static final int FIRST = 17;
    public static final int LAST = 24;
    /** What most programs read. */
    public static final OnnxOpset USUAL = new OnnxOpset(18);

    public OnnxOpset {
        if (version < FIRST || version > LAST) {
            throw new IllegalArgumentException("opset " + version + " is not from " + FIRST + " to " + LAST);
        }
    }

    /** Version of the format itself, as the first release of ONNX with these operators has it. */
    public int irVersion() {
        return switch (version) {
            case 17, 18 -> 8;
            case 19, 20 -> 9;
            case 21, 22 -> 10;
            case 23 -> 11;
            default -> 12;
        };
    }

    /** Whether nodes may have metadata. */
    boolean hasNodeMetadata() {
        return irVersion() >= 10;
    }

    /** Whether all reductions take their axes as an operand. */
    boolean takesAxes() {
        return version >= 18;
    }

    boolean hasGelu() {
        return version >= 20;
    }

    boolean hasAttention() {
        return version >= 23;
    }

    boolean hasRmsNormalization() {
        return version >= 23;
    }

    boolean hasSwish() {
        return version >= 24;
    }
}
