package dev.remat.cli.trained;

import dev.remat.runtime.io.StoredTensor;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where in a file's tensor one of the model's is: {@code T}, {@code [0:768]} or {@code T[0:768]}.
 *
 * @param transposed whether the file's tensor is a matrix with rows and columns exchanged
 * @param rows which ones it is, counted after rows and columns are exchanged; all if empty
 */
record TensorPlace(boolean transposed, Optional<Rows> rows) {
    /** The file's tensor as it is. */
    static final TensorPlace WHOLE = new TensorPlace(false, Optional.empty());

    private static final Pattern TEXT = Pattern.compile("(T?)(?:\\[(\\d{1,18}):(\\d{1,18})])?");

    /** From {@code begin} up to but not {@code end}, which is larger. */
    record Rows(long begin, long end) {
        long count() {
            return end - begin;
        }

        @Override
        public String toString() {
            return "[" + begin + ":" + end + "]";
        }
    }

    /** Empty if the text is none. */
    static Optional<TensorPlace> parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (text.isEmpty() || !matcher.matches()) {
            return Optional.empty();
        }
        boolean transposed = !matcher.group(1).isEmpty();
        if (matcher.group(2) == null) {
            return Optional.of(new TensorPlace(transposed, Optional.empty()));
        }
        Rows rows = new Rows(Long.parseLong(matcher.group(2)), Long.parseLong(matcher.group(3)));
        return rows.count() > 0 ? Optional.of(new TensorPlace(transposed, Optional.of(rows))) : Optional.empty();
    }

    /** Words for why a file's tensor has no such place; empty if it has. */
    Optional<String> misfit(StoredTensor file) {
        if (transposed && file.shape().size() != 2) {
            return Optional.of("T exchanges rows and columns of a matrix, and the file has " + described(file));
        }
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        long all = file.shape().isEmpty() ? 0 : file.shape().get(transposed ? 1 : 0);
        return rows.get().end() <= all
                ? Optional.empty()
                : Optional.of(
                        rows.get() + " is beyond the end of " + described(file) + (transposed ? ", transposed" : ""));
    }

    /** The model's tensor, of a file's that has such a place. */
    StoredTensor in(StoredTensor file) {
        StoredTensor turned = transposed ? file.transposed() : file;
        return rows.map(part -> turned.rows(part.begin(), part.end())).orElse(turned);
    }

    private static String described(StoredTensor tensor) {
        return tensor.name() + ": " + tensor.type() + tensor.shape();
    }

    @Override
    public String toString() {
        return (transposed ? "T" : "") + rows.map(Rows::toString).orElse("");
    }
}
