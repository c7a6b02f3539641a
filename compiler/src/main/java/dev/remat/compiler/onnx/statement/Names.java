package dev.remat.compiler.onnx.statement;

import dev.remat.compiler.builtin.table.Builtins;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Names of the language for what a file calls as it likes. */
public final class Names {
    private static final int MOST_CHARACTERS = 80;
    private static final List<String> WORDS = List.of(
            ("remat include model layer train symbol input param output let return repeat for in if then else as"
                + " retain recompute segments offload and or not true false none pi inf buffer f32 bf16 f16 f64 i32"
                + " i64 bool int float string dtype tensor ema")
                    .split(" "));

    private final Set<String> taken = new TreeSet<>(WORDS);
    /** What a name was given last to tell it from others like it; all numbers below are taken. */
    private final Map<String, Integer> numbers = new TreeMap<>();

    public Names() {
        taken.addAll(Builtins.names());
    }

    /** A free name that resembles the wish, and is taken from here on. */
    public String fresh(String wish) {
        String base = plain(wish);
        String name = base;
        int i = numbers.getOrDefault(base, 1);
        for (; !taken.add(name); i++) {
            name = base + "_" + i;
        }
        numbers.put(base, i);
        return name;
    }

    boolean isFree(String name) {
        return !taken.contains(name);
    }

    /** Whether a name can stand in a text without quotes, as far as its letters are concerned. */
    public static boolean isPlain(String name) {
        return name.matches("[A-Za-z_]\\w*")
                && !WORDS.contains(name)
                && !Builtins.names().contains(name);
    }

    private static String plain(String wish) {
        String name = wish.replaceAll("[^A-Za-z0-9]+", "_").replaceAll("^_+|_+$", "");
        name = name.isEmpty() ? "x" : Character.isDigit(name.charAt(0)) ? "v" + name : name;
        return name.length() > MOST_CHARACTERS ? name.substring(0, MOST_CHARACTERS) : name;
    }
}
