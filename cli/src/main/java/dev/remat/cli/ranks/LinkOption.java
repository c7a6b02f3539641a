package dev.remat.cli.ranks;

import dev.remat.cli.console.ByteSize;
import dev.remat.cli.console.CheckedOptions;
import dev.remat.cli.console.Excerpt;
import dev.remat.cli.option.tier.CostUnit;
import dev.remat.cli.option.tier.Interference;
import dev.remat.ir.target.Link;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What joins ranks that are not there. */
public final class LinkOption extends CheckedOptions {
    private static final Pattern BITS = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?) ?([KMGT]?)bit(?:/s)?");
    private static final List<String> PREFIXES = List.of("", "K", "M", "G", "T");
    // Numbers, not decimals: the class of these takes longer to load than all other options, and few commands need it.
    private static final int BITS_OF_BYTE = Byte.SIZE;
    private static final int DIGITS = 3;
    private static final int THOUSAND = 1000;
    private static final int MOST_PARTS = 3;

    @Option(
            names = "--link",
            paramLabel = "RATE:LATENCY:INTERFERENCE",
            converter = Converter.class,
            description =
                    "What would join ranks or stages, such as 100Gbit:5us, 12.5GB/s or 1Gbit:50us:800us/MB: tell how"
                            + " long exchanges and messages take, and what of the step's time is left for kernels,"
                            + " which lose the third part to what is sent beside them. Default: what a file for"
                            + " --costs says, if 'remat profile --link' has written it.")
    private Link link;

    /**
     * What the user says, else what was measured, where there is more than one rank.
     *
     * @param measured what the file of costs says
     * @throws picocli.CommandLine.ParameterException if there is one rank, and the user says a link
     */
    public Optional<Link> of(int ranks, Optional<Link> measured) {
        require(link == null || ranks > 1, "--link is about what ranks exchange; it needs --ranks or --stages");
        return link == null ? measured.filter(_ -> ranks > 1) : Optional.of(link);
    }

    /** As users write it, to three digits. */
    public static String text(Link link) {
        BigDecimal amount = BigDecimal.valueOf(link.bytesPerSecond())
                .multiply(BigDecimal.valueOf(BITS_OF_BYTE))
                .round(new MathContext(DIGITS));
        int prefix = 0;
        while (amount.compareTo(BigDecimal.valueOf(THOUSAND)) >= 0 && prefix < PREFIXES.size() - 1) {
            amount = amount.movePointLeft(3);
            prefix++;
        }
        String rate = plain(amount) + PREFIXES.get(prefix) + "bit";
        BigDecimal micros = BigDecimal.valueOf(link.latencyNanos()).movePointLeft(3);
        return rate + ":" + (micros.compareTo(BigDecimal.ONE) < 0 ? link.latencyNanos() + "ns" : plain(micros) + "us")
                + Interference.suffix(link.interferenceNanosPerMegabyte());
    }

    private static String plain(BigDecimal amount) {
        return amount.round(new MathContext(DIGITS)).stripTrailingZeros().toPlainString();
    }

    /** For picocli. */
    static final class Converter implements ITypeConverter<Link> {
        @Override
        public Link convert(String text) {
            String[] parts = text.split(":", -1);
            try {
                if (parts.length > MOST_PARTS) {
                    throw new IllegalArgumentException(
                            "RATE:LATENCY:INTERFERENCE is expected, of which the last two may be left out");
                }
                long rate = rate(parts[0].strip());
                if (rate < 1) {
                    throw new IllegalArgumentException("the rate must be above zero");
                }
                return new Link(
                        rate,
                        parts.length == 1 ? 0 : CostUnit.nanos(parts[1], BigDecimal.ONE),
                        parts.length < MOST_PARTS ? 0 : Interference.parse(parts[2]));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException("'" + Excerpt.of(text) + "' says no link: " + e.getMessage());
            }
        }

        private static long rate(String text) {
            Matcher bits = BITS.matcher(text);
            if (!bits.matches()) {
                return ByteSize.parse(text.endsWith("/s") ? text.substring(0, text.length() - 2) : text);
            }
            BigDecimal bytes = new BigDecimal(bits.group(1))
                    .scaleByPowerOfTen(3 * PREFIXES.indexOf(bits.group(2)))
                    .divide(BigDecimal.valueOf(BITS_OF_BYTE), 0, RoundingMode.DOWN);
            if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
                throw new IllegalArgumentException("'" + text + "' is too large");
            }
            return bytes.longValueExact();
        }
    }
}
