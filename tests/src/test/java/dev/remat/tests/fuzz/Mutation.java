package dev.remat.tests.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;

/** Changes of texts, tokens and bytes by chance, of the sort that hands, editors and broken disks make. */
final class Mutation {
    static final List<String> NUMBERS = List.of(
            "0",
            "-1",
            "1",
            "2",
            "3",
            "5",
            "0.0",
            "-0.5",
            "1e-400",
            "1e308",
            "-1e308",
            "1e400",
            "1e2147483647",
            "1e-2147483648",
            "NaN",
            "Infinity",
            "2147483647",
            "2147483648",
            "4294967296",
            "4611686018427387904",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775808",
            "1000001",
            "00",
            "0x10",
            "1_000",
            "9".repeat(400),
            "0." + "3".repeat(400));

    private static final List<String> ODD = List.of(
            "\u0000", "\uFEFF", "\u202e", "\uD83D", "é", "\t", "\r", "\n", "\"", "'", "\\", "{", "}", "[", "]", "(",
            ")", ",", ":", "=", "-", "_", ".", "/", "none", "null", "true");

    private static final List<Charset> CHARSETS = List.of(
            StandardCharsets.UTF_16,
            StandardCharsets.UTF_16LE,
            StandardCharsets.UTF_16BE,
            Charset.forName("UTF-32"),
            Charset.forName("UTF-32LE"),
            StandardCharsets.ISO_8859_1);

    private static final Pattern TOKEN = Pattern.compile("\\s+|\\d[\\w.]*|\\w+|\\W");

    private Mutation() {}

    static <T> T pick(List<T> from, SplittableRandom random) {
        return from.get(random.nextInt(from.size()));
    }

    /** Whether something happens that happens once in {@code n} times. */
    static boolean once(int n, SplittableRandom random) {
        return random.nextInt(n) == 0;
    }

    /** Words, numbers, single signs and white space. */
    static List<String> tokens(String text) {
        return TOKEN.matcher(text).results().map(found -> found.group()).toList();
    }

    /** One to four changes of tokens or lines. */
    static String text(String text, List<String> words, SplittableRandom random) {
        String changed = text;
        for (int edits = 1 + random.nextInt(1 + random.nextInt(4)); edits > 0 && !changed.isEmpty(); edits--) {
            List<String> lines = lines(changed);
            changed = lines.size() > 2 && once(4, random) ? moved(lines, random) : edited(changed, words, random);
        }
        return changed;
    }

    /** The same for a text that is JSON; mostly it stays so. */
    static String json(String text, List<String> words, SplittableRandom random) {
        return once(3, random) ? text(text, words, random) : JsonEdits.edited(text, words, random);
    }

    private static String edited(String text, List<String> words, SplittableRandom random) {
        List<String> tokens = new ArrayList<>(tokens(text));
        edit(tokens, words, random);
        return String.join("", tokens);
    }

    /** Each with the sign that ends it. */
    static List<String> lines(String text) {
        return List.of(text.split("(?<=\n)"));
    }

    /** A few lines are gone, there twice, or elsewhere. */
    private static String moved(List<String> lines, SplittableRandom random) {
        int at = random.nextInt(lines.size());
        List<String> some = lines.subList(at, Math.min(lines.size(), at + 1 + random.nextInt(4)));
        List<String> moved = new ArrayList<>(lines);
        if (!once(3, random)) {
            moved.subList(at, at + some.size()).clear();
        }
        if (!once(3, random)) {
            moved.addAll(random.nextInt(moved.size() + 1), some);
        }
        return String.join("", moved);
    }

    /** The beginning of one text and the end of the other, cut between lines. */
    static String crossed(String first, String second, SplittableRandom random) {
        List<String> before = lines(first);
        List<String> after = lines(second);
        return String.join("", before.subList(0, random.nextInt(before.size())))
                + String.join("", after.subList(random.nextInt(after.size()), after.size()));
    }

    private static void edit(List<String> tokens, List<String> words, SplittableRandom random) {
        int at = random.nextInt(tokens.size());
        int end = Math.min(tokens.size(), at + 1 + random.nextInt(6));
        switch (random.nextInt(12)) {
            case 0 -> tokens.subList(at, end).clear();
            case 1 -> tokens.addAll(at, List.copyOf(tokens.subList(at, end)));
            case 2 -> {
                int other = random.nextInt(tokens.size());
                tokens.set(at, tokens.set(other, tokens.get(at)));
            }
            case 3 -> tokens.set(at, pick(tokens, random));
            case 4, 5, 6 -> number(tokens, at, random);
            case 7 -> tokens.set(word(tokens, at), pick(words, random));
            case 8 -> tokens.add(at, pick(words, random));
            case 9 -> tokens.add(at, pick(ODD, random));
            case 10 -> nest(tokens, at, end, random);
            default -> {
                if (once(6, random)) {
                    tokens.subList(at, tokens.size()).clear();
                } else {
                    tokens.addAll(random.nextInt(tokens.size()), List.copyOf(tokens.subList(at, end)));
                }
            }
        }
    }

    /** The next number becomes another. */
    private static void number(List<String> tokens, int from, SplittableRandom random) {
        for (int i = 0; i < tokens.size(); i++) {
            int at = (from + i) % tokens.size();
            if (tokens.get(at).matches("\\d.*")) {
                tokens.set(at, pick(NUMBERS, random));
                return;
            }
        }
        tokens.set(from, pick(NUMBERS, random));
    }

    private static int word(List<String> tokens, int from) {
        for (int i = 0; i < tokens.size(); i++) {
            int at = (from + i) % tokens.size();
            if (tokens.get(at).matches("[A-Za-z].*")) {
                return at;
            }
        }
        return from;
    }

    private static void nest(List<String> tokens, int at, int end, SplittableRandom random) {
        String open = pick(List.of("(", "[", "{", "-", "not ", "\"a\":{"), random);
        String close = open.equals("(") ? ")" : open.equals("[") ? "]" : open.contains("{") ? "}" : "";
        int depth = once(20, random) ? 20_000 : once(3, random) ? 300 : 1 + random.nextInt(4);
        tokens.add(end, close.repeat(depth));
        tokens.add(at, open.repeat(depth));
    }

    /** Text as another program might have saved it; mostly as it should be. */
    static byte[] encoded(String text, SplittableRandom random) {
        if (once(40, random)) {
            return text.getBytes(pick(CHARSETS, random));
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return once(20, random) ? bytes(bytes, random) : bytes;
    }

    /** One to four changes of bytes. */
    static byte[] bytes(byte[] bytes, SplittableRandom random) {
        byte[] changed = bytes;
        for (int edits = 1 + random.nextInt(4); edits > 0 && changed.length > 0; edits--) {
            changed = edited(changed.clone(), random);
        }
        return changed;
    }

    private static byte[] edited(byte[] bytes, SplittableRandom random) {
        // What says how the rest is to be read stands at the beginning.
        int at = random.nextInt(once(2, random) ? Math.min(bytes.length, 200) : bytes.length);
        int end = Math.min(bytes.length, at + 1 + random.nextInt(16));
        switch (random.nextInt(8)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt(256);
            case 2 -> Arrays.fill(bytes, at, end, (byte) (once(2, random) ? 0 : 0xFF));
            case 3 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 4 -> {
                return joined(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, end, bytes.length));
            }
            case 5 -> {
                return joined(Arrays.copyOf(bytes, end), Arrays.copyOfRange(bytes, at, bytes.length));
            }
            case 6 -> {
                byte[] digits = pick(NUMBERS, random).getBytes(StandardCharsets.UTF_8);
                return joined(joined(Arrays.copyOf(bytes, at), digits), Arrays.copyOfRange(bytes, end, bytes.length));
            }
            default -> {
                long extreme = pick(
                        List.of(0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31, (1L << 31) - 1, 1L << 40), random);
                byte[] word = ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(extreme)
                        .array();
                System.arraycopy(word, 0, bytes, at, Math.min(8, bytes.length - at));
            }
        }
        return bytes;
    }

    private static byte[] joined(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
