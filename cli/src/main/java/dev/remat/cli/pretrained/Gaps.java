package dev.remat.cli.pretrained;

import java.util.LinkedHashMap;
import java.util.Map;

/** What fills the gaps of a template, as the language writes it. */
final class Gaps {
    private final Map<String, String> values = new LinkedHashMap<>();

    Gaps put(String gap, String text) {
        values.put(gap, text);
        return this;
    }

    Gaps put(String gap, long number) {
        return put(gap, String.valueOf(number));
    }

    /** Without the zeros and signs that Java adds: {@code 1e-12}. */
    Gaps put(String gap, double number) {
        return put(gap, Double.toString(number).replace(".0E", "e").replace('E', 'e'));
    }

    Gaps put(String gap, boolean truth) {
        return put(gap, String.valueOf(truth));
    }

    /** A condition of templates, which holds or does not. */
    Gaps when(String gap, boolean holds) {
        return put(gap, holds ? gap : "");
    }

    /** A rate that is a hyper-parameter, if it is above 0. */
    Gaps rate(String gap, double rate) {
        return rate > 0 ? put(gap, rate) : put(gap, "");
    }

    String get(String gap) {
        return values.get(gap);
    }

    Map<String, String> all() {
        return values;
    }
}
