package dev.remat.cli.option.tier;

import dev.remat.cli.console.Console;
import dev.remat.compiler.remat.Below;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** Several rates of one link. */
public final class RateOptions {
    @Option(
            names = "--rates",
            split = ",",
            paramLabel = LinkRates.FORM,
            converter = Converter.class,
            description =
                    "Show memory against time for several rates of the link to --disk, or to --host-budget, such as"
                        + " 200MB/s,1GB/s:2GB/s:80us: one rate stands for both ways; latency and interference may be"
                        + " left out.")
    private List<LinkRates> rates = List.of();

    /** One rate, or as {@link LinkRates} reads them. */
    static final class Converter implements ITypeConverter<LinkRates> {
        private final LinkRates.Converter both = new LinkRates.Converter();

        @Override
        public LinkRates convert(String text) {
            return both.convert(text.contains(":") ? text : text + ":" + text);
        }
    }

    public boolean isAsked() {
        return !rates.isEmpty();
    }

    /**
     * What lies below by each of the rates; the last tier is the one that the link leads to.
     *
     * @param here whether the step would run on this machine
     */
    public List<Below> of(BelowOptions below, boolean here, Console console) {
        return rates.stream().map(each -> below.at(each, here, console)).toList();
    }
}
