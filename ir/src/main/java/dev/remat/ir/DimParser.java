package dev.remat.ir;

/** Reads the text of {@link Dim#toString}: sums of products of integers, symbols and {@code floordiv(dim,integer)}. */
final class DimParser {
    private final String text;
    private int position;

    private DimParser(String text) {
        this.text = text.replace(" ", "");
    }

    /** @throws IllegalArgumentException on anything that is not a dimension */
    static Dim parse(String text) {
        DimParser parser = new DimParser(text);
        Dim dim = parser.sum();
        if (parser.position != parser.text.length()) {
            throw parser.unexpected();
        }
        return dim;
    }

    private Dim sum() {
        Dim sum = accept('-') ? product().times(-1) : product();
        while (true) {
            if (accept('+')) {
                sum = sum.plus(product());
            } else if (accept('-')) {
                sum = sum.minus(product());
            } else {
                return sum;
            }
        }
    }

    private Dim product() {
        Dim product = atom();
        while (accept('*')) {
            product = product.times(atom());
        }
        return product;
    }

    private Dim atom() {
        int start = position;
        while (position < text.length() && Character.isJavaIdentifierPart(text.charAt(position))) {
            position++;
        }
        String word = text.substring(start, position);
        if (word.isEmpty()) {
            throw unexpected();
        }
        if (Character.isDigit(word.charAt(0))) {
            return Dim.of(Long.parseLong(word));
        }
        if (!word.equals("floordiv") || !accept('(')) {
            return Dim.symbol(word);
        }
        Dim numerator = sum();
        expect(',');
        Dim denominator = sum();
        expect(')');
        return numerator.floorDiv(denominator.value());
    }

    private boolean accept(char c) {
        boolean found = position < text.length() && text.charAt(position) == c;
        position += found ? 1 : 0;
        return found;
    }

    private void expect(char c) {
        if (!accept(c)) {
            throw unexpected();
        }
    }

    private IllegalArgumentException unexpected() {
        return new IllegalArgumentException("not a dimension: " + text + " (at " + position + ")");
    }
}
