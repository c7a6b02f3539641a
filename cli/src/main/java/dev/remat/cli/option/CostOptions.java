package dev.remat.cli.option;

import dev.remat.cli.console.CheckedOptions;
import dev.remat.ir.target.CostModel;
import dev.remat.ir.target.Link;
import dev.remat.ir.target.TargetModel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What time planning charges. */
final class CostOptions extends CheckedOptions {
    @Option(
            names = "--costs",
            paramLabel = "NAME|FILE",
            description =
                    "What time planning charges: unit, roofline, roofline:DEVICE such as roofline:h100, or a file that"
                            + " 'remat profile' or 'remat inspect' wrote or that describes a device (docs/costs.md)."
                            + " Default: roofline.")
    private String costs = "roofline";

    /** Null where no file is named. */
    Path file() {
        return Costs.file(costs).orElse(null);
    }

    /** What joins ranks, if that was measured. */
    Optional<Link> link() {
        try {
            return Costs.link(costs);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CostModel model(TargetModel target) {
        try {
            return Costs.of(costs, target);
        } catch (IllegalArgumentException e) {
            throw misuse(e.getMessage());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
