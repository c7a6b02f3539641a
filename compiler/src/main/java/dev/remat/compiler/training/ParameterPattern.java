package dev.remat.compiler.training;

/** Names of parameters: {@code *} stands for any characters, dots among them, and everything else for itself. */
public record ParameterPattern(String text) {
    public static final ParameterPattern ALL = new ParameterPattern("*");

    /** Whether the pattern is all of {@code name}. */
    public boolean matches(String name) {
        int at = 0;
        int in = 0;
        int star = -1;
        int resume = 0;
        while (in < name.length()) {
            if (at < text.length() && text.charAt(at) == '*') {
                star = at++;
                resume = in;
            } else if (at < text.length() && text.charAt(at) == name.charAt(in)) {
                at++;
                in++;
            } else if (star >= 0) {
                at = star + 1;
                in = ++resume;
            } else {
                return false;
            }
        }
        while (at < text.length() && text.charAt(at) == '*') {
            at++;
        }
        return at == text.length();
    }

    @Override
    public String toString() {
        return text;
    }
}
