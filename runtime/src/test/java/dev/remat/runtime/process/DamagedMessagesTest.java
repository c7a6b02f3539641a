package dev.remat.runtime.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What is read from messages of ranks after they were changed by chance: it is refused, or is a message again. As many
 * as {@code remat.control.messages} says.
 */
class DamagedMessagesTest {
    private static final int MESSAGES = Integer.getInteger("remat.control.messages", 20_000);
    private static final byte[] SECRET = "a secret of sixteen".getBytes(UTF_8);
    private static final String ASKED = "00112233445566778899aabbccddeeff";
    private static final Greeting.Hello HELLO =
            new Greeting.Hello(1, 3, ASKED, Greeting.question(), Greeting.word("address".getBytes(UTF_8)));

    /** Reads one kind of message; refuses by the exception that its reader documents. */
    @FunctionalInterface
    private interface Reader {
        void read(List<String> words);
    }

    private record Kind(String[] words, Reader reader) {}

    private static final List<Kind> KINDS = List.of(
            new Kind(HELLO.words(SECRET), words -> Greeting.Hello.of(words, ASKED, SECRET)),
            new Kind(Greeting.said(1, HELLO.says()), words -> Greeting.saidBy(1, words)),
            new Kind(Greeting.sealed("0".repeat(64)), words -> Greeting.demandSeal(words, "0".repeat(64))),
            new Kind(Greeting.refused("no room"), words -> {
                if (Greeting.isRefused(words)) {
                    Greeting.reason(words);
                }
            }),
            new Kind(new Stop(2, 7, "a loss is NaN").words(), words -> {
                if (Stop.isOne(words)) {
                    Stop.of(words);
                }
            }));

    @Test
    void areRefusedOrAreMessages() {
        Random random = new Random(11);
        int refused = 0;
        for (int i = 0; i < MESSAGES; i++) {
            Kind kind = KINDS.get(random.nextInt(KINDS.size()));
            String damaged = damage(String.join(" ", kind.words), random);
            try {
                kind.reader.read(List.of(damaged.split(" ", -1)));
            } catch (IllegalArgumentException e) {
                refused++;
            }
        }
        assertThat(refused).isBetween(MESSAGES / 4, MESSAGES);
    }

    /** A greeting proves all that it says: what says anything else is not taken. */
    @Test
    void noOtherGreetingIsTaken() {
        Random random = new Random(12);
        String whole = String.join(" ", HELLO.words(SECRET));
        assertThat(read(whole)).contains(HELLO);
        for (int i = 0; i < MESSAGES / 10; i++) {
            assertThat(read(damage(whole, random)).filter(read -> !read.equals(HELLO)))
                    .isEmpty();
        }
    }

    private static Optional<Greeting.Hello> read(String words) {
        try {
            return Optional.of(Greeting.Hello.of(List.of(words.split(" ", -1)), ASKED, SECRET));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** One to four characters changed, left out, doubled, or put in. */
    private static String damage(String text, Random random) {
        StringBuilder damaged = new StringBuilder(text);
        for (int changes = 1 + random.nextInt(4); changes > 0 && !damaged.isEmpty(); changes--) {
            int at = random.nextInt(damaged.length());
            switch (random.nextInt(4)) {
                case 0 -> damaged.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 128 : 0x3000));
                case 1 -> damaged.deleteCharAt(at);
                case 2 -> damaged.insert(at, damaged.charAt(at));
                default -> damaged.insert(at, "-+ =99999999999".charAt(random.nextInt(15)));
            }
        }
        return damaged.toString();
    }
}
