package dev.remat.compiler.builtin;

import dev.remat.ir.Dim;
import dev.remat.ir.RealFunctions;
import java.util.Optional;

/** Exact arithmetic on hyper-parameters: integers stay integers, a real number makes the result real. */
public final class Numbers {
    private static final int LONGEST_POLYNOMIAL = 1000;

    private Numbers() {}

    /** The number that a name of the language stands for: {@code pi} or {@code inf}. */
    public static Optional<Datum> named(String name) {
        return switch (name) {
            case "pi" -> Optional.of(new Datum.FloatValue(Math.PI));
            case "inf" -> Optional.of(new Datum.FloatValue(Double.POSITIVE_INFINITY));
            default -> Optional.empty();
        };
    }

    public static boolean isNumber(Datum datum) {
        return datum instanceof Datum.IntValue || datum instanceof Datum.FloatValue;
    }

    /** @throws SemanticError if it is an integer in terms of symbols (E0304) */
    public static double real(Datum datum) {
        return datum instanceof Datum.FloatValue real ? real.value() : known(((Datum.IntValue) datum).value());
    }

    /** @throws SemanticError if {@code dim} is in terms of symbols (E0304) */
    public static long known(Dim dim) {
        if (!dim.isConstant()) {
            throw new SemanticError(
                    "E0304",
                    dim + " is not known when the model is read",
                    "use a hyper-parameter, or bind the symbol with --set");
        }
        return dim.value();
    }

    public static Datum add(Datum a, Datum b) {
        return bothInt(a, b) ? integer(dim(a).plus(dim(b))) : new Datum.FloatValue(real(a) + real(b));
    }

    public static Datum subtract(Datum a, Datum b) {
        return bothInt(a, b) ? integer(dim(a).minus(dim(b))) : new Datum.FloatValue(real(a) - real(b));
    }

    public static Datum multiply(Datum a, Datum b) {
        return bothInt(a, b) ? integer(dim(a).times(dim(b))) : new Datum.FloatValue(real(a) * real(b));
    }

    /** Of integers only if it leaves no rest. */
    public static Datum divide(Datum a, Datum b) {
        if (!bothInt(a, b)) {
            return new Datum.FloatValue(real(a) / real(b));
        }
        if (dim(b).is(0)) {
            throw new SemanticError("E0303", "division by zero");
        }
        return integer(dim(a).divideExact(dim(b))
                .orElseThrow(() -> new SemanticError(
                        "E0303",
                        dim(a) + " / " + dim(b) + " is not a whole number",
                        "floordiv(" + dim(a) + ", " + dim(b) + ") rounds down",
                        "dividing by " + dim(b) + ".0 gives a real number")));
    }

    /** Rounded down. */
    static Datum floorDivide(Datum a, Datum b) {
        if (!bothInt(a, b)) {
            return new Datum.FloatValue(RealFunctions.floorDivide(real(a), real(b)));
        }
        long divisor = known(dim(b));
        if (divisor <= 0) {
            throw new SemanticError("E0303", "floor division by " + divisor);
        }
        return integer(dim(a).floorDiv(divisor));
    }

    /** The rest of {@link #floorDivide}: of the sign of {@code b}, and never negative for integers. */
    public static Datum remainder(Datum a, Datum b) {
        if (!bothInt(a, b)) {
            return new Datum.FloatValue(RealFunctions.remainder(real(a), real(b)));
        }
        Dim quotient = ((Datum.IntValue) floorDivide(a, b)).value();
        return integer(dim(a).minus(quotient.times(dim(b))));
    }

    /** The rest of the quotient rounded towards 0. */
    static Datum truncatedRemainder(Datum a, Datum b) {
        if (!bothInt(a, b)) {
            return new Datum.FloatValue(real(a) % real(b));
        }
        long divisor = known(dim(b));
        if (divisor == 0) {
            throw new SemanticError("E0303", "division by zero");
        }
        return Datum.IntValue.of(known(dim(a)) % divisor);
    }

    public static Datum power(Datum a, Datum b) {
        if (!bothInt(a, b) || dim(b).isConstant() && dim(b).value() < 0) {
            return new Datum.FloatValue(Math.pow(real(a), real(b)));
        }
        long exponent = known(dim(b));
        if (exponent > 64 && !dim(a).is(0) && !dim(a).is(1) && !dim(a).is(-1)) {
            throw new ArithmeticException("power");
        }
        Dim product = Dim.ONE;
        for (long i = 0; i < (exponent > 64 ? 64 + exponent % 2 : exponent); i++) {
            product = product.times(dim(a));
        }
        return integer(product);
    }

    public static Datum negate(Datum a) {
        return a instanceof Datum.FloatValue real ? new Datum.FloatValue(-real.value()) : integer(dim(a).times(-1));
    }

    /** Negative, zero or positive as {@code a} is less than, equal to or greater than {@code b}. */
    public static int compare(Datum a, Datum b) {
        return bothInt(a, b)
                ? Long.compare(known(dim(a)), known(dim(b)))
                : Double.compare(real(a) + 0.0, real(b) + 0.0);
    }

    /** Rounded towards 0. */
    static Datum integer(double x) {
        if (!(Math.abs(x) < 0x1p63)) {
            throw new SemanticError("E0303", x + " does not fit into an integer");
        }
        return Datum.IntValue.of((long) x);
    }

    private static Datum integer(Dim value) {
        if (!value.isConstant() && value.toString().length() > LONGEST_POLYNOMIAL) {
            throw new SemanticError("E0305", "this extent has too many terms");
        }
        return new Datum.IntValue(value);
    }

    private static boolean bothInt(Datum a, Datum b) {
        return a instanceof Datum.IntValue && b instanceof Datum.IntValue;
    }

    private static Dim dim(Datum datum) {
        return ((Datum.IntValue) datum).value();
    }
}
