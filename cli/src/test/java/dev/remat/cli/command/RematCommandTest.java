package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.cli.console.Console;
import dev.remat.cli.console.Version;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

class RematCommandTest {
    @Test
    void helpGoesToOutAndSucceeds() {
        CommandRun run = CommandRun.of("--help");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: remat", "doctor", "Examples:").doesNotContain("\u001b");
        assertThat(run.err()).isEmpty();
        assertThat(CommandRun.of("help")).isEqualTo(run);
    }

    @Test
    void tellsItsVersion() {
        CommandRun run = CommandRun.of("--version");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEqualTo("remat " + Version.REMAT + System.lineSeparator());
        assertThat(CommandRun.of("doctor", "--version").exitCode()).isEqualTo(2);
    }

    @Test
    void helpNamesACommand() {
        assertThat(CommandRun.of("help", "doctor")).isEqualTo(CommandRun.of("doctor", "--help"));
        CommandRun unknown = CommandRun.of("help", "nonsense");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).contains("there is no command 'nonsense'");
    }

    @Test
    void usageErrorsGoToErrAndSuggest() {
        CommandRun typo = CommandRun.of("docter");
        assertThat(typo.exitCode()).isEqualTo(2);
        assertThat(typo.out()).isEmpty();
        assertThat(typo.err()).contains("unknown command 'docter'; did you mean 'doctor'?", "'remat --help' shows");
        CommandRun option = CommandRun.of("doctor", "--jsn");
        assertThat(option.exitCode()).isEqualTo(2);
        assertThat(option.err()).contains("--jsn", "--json", "'remat doctor --help'");
        CommandRun nothing = CommandRun.of();
        assertThat(nothing.exitCode()).isEqualTo(2);
        assertThat(nothing.out()).isEmpty();
        assertThat(nothing.err())
                .contains("which command?", "Usage: remat", "train       Run training steps", "Examples:")
                .doesNotContain("\u001b");
    }

    @Test
    void helpOnAnUnknownCommandIsAnError() {
        CommandRun run = CommandRun.of("trian", "--help");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("unknown command 'trian'; did you mean 'train'?");
        assertThat(CommandRun.of("--help", "trian")).isEqualTo(run);
        assertThat(CommandRun.of("xyzzy", "--version").err())
                .contains("unknown command 'xyzzy'\n")
                .doesNotContain("did you mean");
        assertThat(CommandRun.of("help", "trian").err()).contains("there is no command 'trian'; did you mean 'train'?");
    }

    @Test
    void anUnknownCodeListsThoseThereAre() {
        CommandRun run = CommandRun.of("help", "error", "E9999");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("remat: there is no error code 'E9999'\n");
        assertThat(run.err().lines().skip(1))
                .isEqualTo(CommandRun.of("help", "error").out().lines().toList())
                .anyMatch(line -> line.matches("E0301  \\S.*"));
        assertThat(CommandRun.of("help", "error", "e030").err()).contains("'e030'; did you mean 'E0301'?");
        assertThat(CommandRun.of("help", "error", "e0301").err()).isEmpty();
    }

    @Test
    void everythingIsDescribedAndEveryCommandHasAnExample() {
        for (Map.Entry<String, CommandLine> entry : RematCommand.commandLine(Console.ofProcess(), name -> true)
                .getSubcommands()
                .entrySet()) {
            CommandLine.Model.CommandSpec spec = entry.getValue().getCommandSpec();
            assertThat(spec.usageMessage().description()).as(entry.getKey()).isNotEmpty();
            assertThat(String.join("\n", spec.usageMessage().footer()))
                    .as(entry.getKey())
                    .contains("Example", "remat " + entry.getKey());
            for (OptionSpec option : spec.options()) {
                assertThat(option.description())
                        .as(entry.getKey() + " " + option.longestName())
                        .isNotEmpty();
            }
            for (PositionalParamSpec parameter : spec.positionalParameters()) {
                assertThat(parameter.description())
                        .as(entry.getKey() + " " + parameter.paramLabel())
                        .isNotEmpty();
            }
        }
    }

    @Test
    void completionIsAShellScript() {
        CommandRun run = CommandRun.of("completion");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).startsWith("#!").contains("complete", "doctor", "profile", "--costs");
    }
}
