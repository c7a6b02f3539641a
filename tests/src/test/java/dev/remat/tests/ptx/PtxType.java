package dev.remat.tests.ptx;

/** The type of an instruction: its width, and how bits are numbers. */
public record PtxType(Kind kind, int bits) {
    enum Kind {
        PREDICATE,
        UNTYPED,
        UNSIGNED,
        SIGNED,
        FLOAT
    }

    static PtxType of(String name) {
        if (name.equals("pred")) {
            return new PtxType(Kind.PREDICATE, 1);
        }
        Kind kind = switch (name.charAt(0)) {
            case 'b' -> Kind.UNTYPED;
            case 'u' -> Kind.UNSIGNED;
            case 's' -> Kind.SIGNED;
            case 'f' -> Kind.FLOAT;
            default -> throw new PtxException("no type: " + name);
        };
        return new PtxType(kind, Integer.parseInt(name.substring(1)));
    }

    int bytes() {
        return bits / 8;
    }

    /** The bits of a register as a number of this type, in a long. */
    long number(long register) {
        if (bits == 64) {
            return register;
        }
        return kind == Kind.SIGNED ? register << (64 - bits) >> (64 - bits) : register & mask(bits);
    }

    static long mask(int bits) {
        return bits == 64 ? -1 : (1L << bits) - 1;
    }
}
