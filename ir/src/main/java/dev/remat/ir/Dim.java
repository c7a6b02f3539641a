package dev.remat.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Extent of one axis: a polynomial with integer coefficients over symbols and floor quotients, kept in normal form, so
 * that equal polynomials are equal objects. Arithmetic is exact; overflow throws {@link ArithmeticException}, and so
 * does what would have more than {@value #MOST_SYMBOLS} symbols, which no model has and a hostile file may ask for.
 */
public final class Dim {
    /** How often symbols stand in one at most, those in quotients included, which count for sixteen themselves. */
    public static final int MOST_SYMBOLS = 512;

    private static final int QUOTIENT = 16;

    public static final Dim ZERO = new Dim(0);
    public static final Dim ONE = new Dim(1);

    private final long constant;
    /** Coefficients by monomial, without zeros. */
    private final SortedMap<Monomial, Long> terms;

    private final boolean isConstant;
    private final int symbols;

    private Dim(long constant, SortedMap<Monomial, Long> terms) {
        this.constant = constant;
        this.terms = terms;
        isConstant = terms.isEmpty();
        symbols = terms.keySet().stream().mapToInt(Monomial::symbols).sum();
        expectFew(symbols);
    }

    private Dim(long constant) {
        this.constant = constant;
        terms = Collections.emptySortedMap();
        isConstant = true;
        symbols = 0;
    }

    private static void expectFew(long symbols) {
        if (symbols > MOST_SYMBOLS) {
            throw new ArithmeticException("an extent of more than " + MOST_SYMBOLS + " symbols");
        }
    }

    public static Dim of(long value) {
        return value == 0 ? ZERO : value == 1 ? ONE : new Dim(value);
    }

    public static Dim symbol(String name) {
        return ofAtom(new Symbol(name));
    }

    /**
     * Reads what {@link #toString} prints.
     *
     * @throws IllegalArgumentException on anything else
     */
    public static Dim parse(String text) {
        return DimParser.parse(text);
    }

    private static Dim ofAtom(Atom atom) {
        TreeMap<Monomial, Long> terms = new TreeMap<>();
        terms.put(new Monomial(List.of(atom)), 1L);
        return new Dim(0, terms);
    }

    public boolean isConstant() {
        return isConstant;
    }

    /**
     * The extent as a number.
     *
     * @throws IllegalStateException while symbols are left
     */
    public long value() {
        if (!isConstant()) {
            throw new IllegalStateException("dimension " + this + " is not bound");
        }
        return constant;
    }

    public boolean is(long value) {
        return isConstant() && constant == value;
    }

    public Dim plus(Dim other) {
        if (isConstant() && other.isConstant()) {
            return of(Math.addExact(constant, other.constant));
        }
        TreeMap<Monomial, Long> sum = new TreeMap<>(terms);
        other.terms.forEach((monomial, factor) -> accumulate(sum, monomial, factor));
        return new Dim(Math.addExact(constant, other.constant), sum);
    }

    public Dim plus(long other) {
        return plus(of(other));
    }

    public Dim minus(Dim other) {
        return plus(other.times(-1));
    }

    public Dim minus(long other) {
        return plus(-other);
    }

    public Dim times(long factor) {
        return times(of(factor));
    }

    public Dim times(Dim other) {
        if (isConstant() && other.isConstant()) {
            return of(Math.multiplyExact(constant, other.constant));
        }
        expectFew((long) terms.size() * other.terms.size());
        TreeMap<Monomial, Long> product = new TreeMap<>();
        long free = Math.multiplyExact(constant, other.constant);
        terms.forEach((m, f) -> accumulate(product, m, Math.multiplyExact(f, other.constant)));
        other.terms.forEach((m, f) -> accumulate(product, m, Math.multiplyExact(f, constant)));
        terms.forEach(
                (m, f) -> other.terms.forEach((n, g) -> accumulate(product, m.times(n), Math.multiplyExact(f, g))));
        return new Dim(free, product);
    }

    /** ⌊this / divisor⌋ for a positive divisor; a whole quotient stays a polynomial. */
    public Dim floorDiv(long divisor) {
        if (divisor <= 0) {
            throw new ArithmeticException("division of a dimension by " + divisor);
        }
        if (divisor == 1) {
            return this;
        }
        if (isConstant()) {
            return of(Math.floorDiv(constant, divisor));
        }
        return divideExact(of(divisor)).orElseGet(() -> ofAtom(new FloorDiv(this, divisor)));
    }

    /** The quotient if {@code divisor} is a single non-zero term that divides every term of this polynomial. */
    public Optional<Dim> divideExact(Dim divisor) {
        if (equals(divisor) && !is(0)) {
            return Optional.of(ONE);
        }
        if (divisor.isConstant()) {
            long d = divisor.constant;
            if (d == 0 || constant % d != 0 || terms.values().stream().anyMatch(f -> f % d != 0)) {
                return Optional.empty();
            }
            TreeMap<Monomial, Long> quotient = new TreeMap<>();
            terms.forEach((m, f) -> quotient.put(m, f / d));
            return Optional.of(new Dim(constant / d, quotient));
        }
        if (divisor.constant != 0 || divisor.terms.size() != 1 || constant != 0) {
            return is(0) ? Optional.of(ZERO) : Optional.empty();
        }
        Map.Entry<Monomial, Long> by = divisor.terms.firstEntry();
        Dim quotient = ZERO;
        for (Map.Entry<Monomial, Long> term : terms.entrySet()) {
            Optional<Monomial> rest = term.getKey().without(by.getKey());
            if (rest.isEmpty() || term.getValue() % by.getValue() != 0) {
                return Optional.empty();
            }
            quotient = quotient.plus(rest.get().dim().times(term.getValue() / by.getValue()));
        }
        return Optional.of(quotient);
    }

    /** Whether {@code symbol}, which is a symbol and nothing else, occurs in this polynomial. */
    public boolean mentions(Dim symbol) {
        Atom wanted = symbol.terms.firstKey().atoms().getFirst();
        return terms.keySet().stream()
                .flatMap(monomial -> monomial.atoms().stream())
                .anyMatch(atom -> atom.equals(wanted)
                        || atom instanceof FloorDiv quotient
                                && quotient.numerator().mentions(symbol));
    }

    /** This polynomial with every symbol replaced that {@code values} knows. */
    public Dim substitute(SequencedMap<String, Long> values) {
        return substitute(s -> values.containsKey(s.name()) ? of(values.get(s.name())) : ofAtom(s));
    }

    /** This polynomial with {@code other} wherever {@code symbol} is, which is a symbol and nothing else. */
    public Dim replace(Dim symbol, Dim other) {
        return substitute(s -> ofAtom(s).equals(symbol) ? other : ofAtom(s));
    }

    private Dim substitute(Function<Symbol, Dim> lookup) {
        if (isConstant()) {
            return this;
        }
        Dim sum = of(constant);
        for (Map.Entry<Monomial, Long> term : terms.entrySet()) {
            Dim product = of(term.getValue());
            for (Atom atom : term.getKey().atoms()) {
                product = product.times(
                        switch (atom) {
                            case Symbol s -> lookup.apply(s);
                            case FloorDiv f -> f.numerator().substitute(lookup).floorDiv(f.denominator());
                        });
            }
            sum = sum.plus(product);
        }
        return sum;
    }

    /**
     * Numbers of any kind that an extent can be calculated in.
     *
     * @param <T> a number
     */
    public interface Arithmetic<T> {
        T number(long value);

        T symbol(String name);

        T sum(T a, T b);

        T product(T a, T b);

        /** @param divisor which is positive */
        T floorDiv(T a, long divisor);
    }

    /** The extent, calculated from its symbols. */
    public <T> T calculate(Arithmetic<T> in) {
        T sum = null;
        for (Map.Entry<Monomial, Long> term : terms.entrySet()) {
            T product = null;
            for (Atom atom : term.getKey().atoms()) {
                T factor = switch (atom) {
                    case Symbol s -> in.symbol(s.name());
                    case FloorDiv f -> in.floorDiv(f.numerator().calculate(in), f.denominator());
                };
                product = product == null ? factor : in.product(product, factor);
            }
            T scaled = term.getValue() == 1 ? product : in.product(product, in.number(term.getValue()));
            sum = sum == null ? scaled : in.sum(sum, scaled);
        }
        return sum == null ? in.number(constant) : constant == 0 ? sum : in.sum(sum, in.number(constant));
    }

    private static void accumulate(SortedMap<Monomial, Long> terms, Monomial monomial, long factor) {
        long sum = Math.addExact(terms.getOrDefault(monomial, 0L), factor);
        if (sum == 0) {
            terms.remove(monomial);
        } else {
            terms.put(monomial, sum);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Dim that && constant == that.constant && terms.equals(that.terms);
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(constant) + terms.hashCode();
    }

    @Override
    public String toString() {
        if (isConstant()) {
            return Long.toString(constant);
        }
        List<String> parts = new ArrayList<>();
        terms.forEach((m, f) -> parts.add(f == 1 ? m.toString() : f + "*" + m));
        if (constant != 0) {
            parts.add(Long.toString(constant));
        }
        return String.join("+", parts).replace("+-", "-");
    }

    private sealed interface Atom {}

    private record Symbol(String name) implements Atom {
        @Override
        public String toString() {
            return name;
        }
    }

    private record FloorDiv(Dim numerator, long denominator) implements Atom {
        @Override
        public String toString() {
            return "floordiv(" + numerator + "," + denominator + ")";
        }
    }

    /** A product of atoms in the order of their text. */
    private record Monomial(List<Atom> atoms) implements Comparable<Monomial> {
        Monomial times(Monomial other) {
            List<Atom> product = new ArrayList<>(atoms);
            product.addAll(other.atoms);
            product.sort((a, b) -> a.toString().compareTo(b.toString()));
            return new Monomial(List.copyOf(product));
        }

        int symbols() {
            return atoms.stream()
                    .mapToInt(atom -> switch (atom) {
                        case Symbol _ -> 1;
                        case FloorDiv quotient -> QUOTIENT + quotient.numerator().symbols;
                    })
                    .sum();
        }

        Optional<Monomial> without(Monomial other) {
            List<Atom> rest = new ArrayList<>(atoms);
            for (Atom atom : other.atoms) {
                if (!rest.remove(atom)) {
                    return Optional.empty();
                }
            }
            return Optional.of(new Monomial(List.copyOf(rest)));
        }

        Dim dim() {
            Dim product = ONE;
            for (Atom atom : atoms) {
                product = product.times(ofAtom(atom));
            }
            return product;
        }

        @Override
        public int compareTo(Monomial other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return atoms.stream().map(Object::toString).collect(Collectors.joining("*"));
        }
    }
}
