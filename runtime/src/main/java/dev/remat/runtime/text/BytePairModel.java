package dev.remat.runtime.text;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Byte pair encoding (Sennrich et al., 2016): characters, of which the pair is joined first that was learned first. A
 * character that is no token becomes those of its bytes, where there are such, or the unknown one.
 */
final class BytePairModel implements TokenModel {
    private static final int BYTES = 256;

    private final Vocabulary vocabulary;
    private final BytePairs pairs;
    private final Optional<Integer> unknown;
    private final boolean fusesUnknown;
    private final boolean takesWholeWords;
    private final String prefix;
    private final String suffix;
    /** The token of each byte; null if characters have no bytes. */
    private final int[] bytes;
    /** What ends a left part and begins a right one of some pair, as code points. */
    private final Set<Long> seams = new HashSet<>();

    private BytePairModel(JsonPart part) {
        this.vocabulary = Vocabulary.read(part.need("vocab"));
        this.prefix = part.text("continuing_subword_prefix", "");
        this.suffix = part.text("end_of_word_suffix", "");
        this.pairs = new BytePairs(pairs(part.need("merges")));
        this.unknown = vocabulary.named(part.get("unk_token"));
        this.fusesUnknown = part.flag("fuse_unk", false);
        this.takesWholeWords = part.flag("ignore_merges", false);
        this.bytes = part.flag("byte_fallback", false) ? bytes() : null;
    }

    static BytePairModel read(JsonPart part) {
        part.get("dropout").ifPresent(dropout -> {
            if (!(dropout.value() instanceof Number number) || number.doubleValue() != 0) {
                throw dropout.wrong("is not 0: a text would have other tokens every time, which is not supported");
            }
        });
        return new BytePairModel(part);
    }

    private int[] bytes() {
        int[] found = new int[BYTES];
        for (int unit = 0; unit < BYTES; unit++) {
            Integer token = vocabulary.get(byteToken(unit));
            found[unit] = token == null ? -1 : token;
        }
        return found;
    }

    private static String byteToken(int unit) {
        return String.format(Locale.ROOT, "<0x%02X>", unit);
    }

    private Map<Long, Long> pairs(JsonPart merges) {
        List<JsonPart> all = merges.list();
        Map<Long, Long> found = new HashMap<>(2 * all.size());
        for (int rank = 0; rank < all.size(); rank++) {
            String[] two = two(all.get(rank));
            String right = two[1].startsWith(prefix) ? two[1].substring(prefix.length()) : two[1];
            String joined = two[0] + right;
            long left = token(two[0], all.get(rank));
            long pair = left << Integer.SIZE | token(two[1], all.get(rank));
            found.put(pair, (long) rank << Integer.SIZE | token(joined, all.get(rank)));
            seams.add(seam(two[0].codePointBefore(two[0].length()), two[1].codePointAt(0)));
        }
        return found;
    }

    private static String[] two(JsonPart merge) {
        String[] two = merge.value() instanceof List<?>
                ? merge.list().stream().map(JsonPart::text).toArray(String[]::new)
                : merge.text().split(" ", -1);
        if (two.length != 2 || two[0].isEmpty() || two[1].isEmpty()) {
            throw merge.wrong("is '" + String.join(" ", two) + "', which is no pair");
        }
        return two;
    }

    private int token(String text, JsonPart merge) {
        Integer token = vocabulary.get(text);
        if (token == null) {
            throw merge.wrong("makes or joins '" + text + "', which the vocabulary does not have");
        }
        return token;
    }

    private static long seam(int before, int after) {
        return (long) before << Integer.SIZE | after;
    }

    @Override
    public Vocabulary vocabulary() {
        return vocabulary;
    }

    @Override
    public int[] tokenize(String word) {
        Integer whole = takesWholeWords ? vocabulary.get(word) : null;
        if (whole != null) {
            return new int[] {whole};
        }
        TokenList tokens = new TokenList();
        int unknowns = 0;
        for (int at = 0; at < word.length(); ) {
            int next = at + Character.charCount(word.codePointAt(at));
            String letter = (at == 0 ? "" : prefix) + word.substring(at, next) + (next == word.length() ? suffix : "");
            Integer token = vocabulary.get(letter);
            boolean isUnknown = token == null && !addBytes(letter, tokens);
            if (token != null) {
                tokens.add(token);
            } else if (isUnknown && (unknowns == 0 || !fusesUnknown)) {
                tokens.add(unknown.orElseThrow(() -> Vocabulary.missing(word)));
            }
            unknowns = isUnknown ? unknowns + 1 : 0;
            at = next;
        }
        return pairs.join(tokens.toArray());
    }

    /** Whether there is a token for each of its bytes. */
    private boolean addBytes(String letter, TokenList tokens) {
        if (bytes == null) {
            return false;
        }
        byte[] units = letter.getBytes(StandardCharsets.UTF_8);
        for (byte unit : units) {
            if (bytes[Byte.toUnsignedInt(unit)] < 0) {
                return false;
            }
        }
        for (byte unit : units) {
            tokens.add(bytes[Byte.toUnsignedInt(unit)]);
        }
        return true;
    }

    @Override
    public int partEnd(String word, int from) {
        boolean whole = takesWholeWords || !prefix.isEmpty() || !suffix.isEmpty();
        int at = from;
        while (!whole && at < word.length()) {
            int before = word.codePointAt(at);
            at += Character.charCount(before);
            if (at < word.length() && isApart(before, word.codePointAt(at))) {
                return at;
            }
        }
        return word.length();
    }

    /** Whether no token holds both, one after the other, for no pair is joined there. */
    private boolean isApart(int before, int after) {
        return !seams.contains(seam(before, after)) && isToken(before) && isToken(after);
    }

    private boolean isToken(int codePoint) {
        return vocabulary.get(Character.toString(codePoint)) != null;
    }
}
