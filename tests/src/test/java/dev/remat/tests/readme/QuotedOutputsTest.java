package dev.remat.tests.readme;

import static org.assertj.core.api.Assertions.assertThat;

import dev.remat.tests.process.RematHere;
import dev.remat.tests.process.RematProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README and guides show of commands is what these print, but for the numbers. */
@Tag("slow")
class QuotedOutputsTest {
    /** What makes a command cheap without changing the form of its output. */
    private static final Map<String, String> CHEAPER = cheaper();

    private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--?[a-z][a-z-]*");

    @TempDir
    Path folder;

    private static Map<String, String> cheaper() {
        Map<String, String> replacements = new LinkedHashMap<>();
        replacements.put("B=8,T=64 --strategy sqrt --arch", "B=2,T=8,depth=1,width=32 --strategy sqrt --arch");
        replacements.put("B=8,T=64 --strategy sqrt --text", "B=2,T=8,depth=1,width=32 --strategy sqrt --text");
        replacements.put("B=16,T=64,drop=0", "B=2,T=8,depth=1,width=32,drop=0");
        replacements.put("--steps 2000 --eval-every 500", "--steps 4 --eval-every 2");
        replacements.put("--tokens 160", "--tokens 3");
        replacements.put("--steps 60", "--steps 3");
        replacements.put("--budget 80GiB", "--budget 80GiB --effort quick");
        return replacements;
    }

    /** The first command of the document that has this in it and whose output is shown. */
    private static QuotedCommand quoted(String document, String part) throws IOException {
        return QuotedCommand.of(Documents.ROOT.resolve(document)).stream()
                .filter(each -> each.text().contains(part) && !each.output().isEmpty())
                .findFirst()
                .orElseThrow(() -> new AssertionError(document + " shows no output of " + part));
    }

    private void check(String document, String part) throws IOException {
        QuotedCommand command = quoted(document, part);
        assertThat(OutputForm.of(run(command)))
                .as("%s: %s", command.where(), command.text())
                .matches(OutputForm.shown(command.output()));
    }

    private List<String> run(QuotedCommand command) {
        StringBuilder printed = new StringBuilder();
        for (List<String> words : cheap(command).remat()) {
            Result result =
                    RematHere.run(folder, words.stream().map(this::placed).toArray(String[]::new));
            printed.append(result.out()).append(result.err());
        }
        return printed.toString()
                .replace(Documents.ROOT + "/", "")
                .replace(folder + "/", "")
                .lines()
                .toList();
    }

    private static QuotedCommand cheap(QuotedCommand command) {
        String text = command.text();
        for (Map.Entry<String, String> replacement : CHEAPER.entrySet()) {
            text = text.replace(replacement.getKey(), replacement.getValue());
        }
        return new QuotedCommand(command.where(), text, command.output());
    }

    private String placed(String word) {
        if (word.startsWith("target/")) {
            return folder.resolve(word).toString();
        }
        return word.startsWith("samples/") || word.equals("README.md")
                ? Documents.ROOT.resolve(word).toString()
                : word;
    }

    @Test
    void theReadmesPlan() throws IOException {
        check("README.md", "./remat plan samples/gpt.model --set B=8,T=64 --strategy sqrt");
        check("README.md", "./remat explain samples/gpt.model block.0.x");
    }

    @Test
    void theReadmesTwoCommands() throws IOException {
        Files.createDirectory(folder.resolve("target"));
        check("README.md", "-o target/gpt &&");
    }

    @Test
    void theReadmesMistakes() throws IOException {
        QuotedCommand command = quoted("README.md", "plan bad.model");
        List<String> model = new ArrayList<>(
                List.of("remat 1", "model Bad(width: int = 32) {", "  symbol B", "  input x: f32[B, width]", "", ""));
        Matcher lines = Pattern.compile(" \\d+ \\| (.*)").matcher(String.join("\n", command.output()));
        while (lines.find()) {
            model.add(lines.group(1));
        }
        model.addAll(List.of("  loss = mean(h) + mean(y)", "}", "train { minimize loss; optimizer sgd(lr = 0.1) }"));
        Files.writeString(folder.resolve("bad.model"), String.join("\n", model));
        assertThat(run(command)).isEqualTo(command.output());
    }

    @Test
    void theReadmesTrainedModel() throws IOException {
        Files.copy(
                Documents.ROOT.resolve("README.md"),
                Files.createDirectory(folder.resolve("target")).resolve("sources.txt"));
        check("README.md", "./remat train samples/gpt.model --set B=16");
        QuotedCommand generate = quoted("README.md", "./remat generate");
        String prompt = "    /** The ";
        assertThat(generate.output().getFirst()).startsWith(prompt);
        assertThat(String.join("\n", run(generate))).startsWith(prompt);
        check("README.md", "./remat eval");
        check("README.md", "./remat export");
    }

    @Test
    void theLargestBatch() throws IOException {
        QuotedCommand command = quoted("README.md", "./remat fit");
        QuotedCommand again = quoted("docs/planning.md", "./remat fit");
        assertThat(again.text()).isEqualTo(command.text());
        assertThat(OutputForm.of(run(command)))
                .matches(OutputForm.shown(command.output()))
                .matches(OutputForm.shown(again.output()));
    }

    @Test
    void whatIsExplained() throws IOException {
        check("docs/command-line.md", "./remat explain");
    }

    @Test
    void numbersDoNotCountAndLabelsDo() {
        List<String> shown =
                List.of("  arena   17.8 MiB  in 231 kernels", "step 1  loss 5.6", "…", "step 9  loss 3.5", "end");
        List<String> same = List.of("arena 900 KiB in 7", "kernels", "step 1 loss 1e-3", "step 2 loss 0.1", "end");
        assertThat(OutputForm.of(same)).matches(OutputForm.shown(shown));
        List<String> other = List.of("memory 900 KiB in 7", "kernels", "step 1 loss 1e-3", "end");
        assertThat(OutputForm.of(other)).doesNotMatch(OutputForm.shown(shown));
        assertThat(OutputForm.of(List.of("arena 1 B in 7 kernels", "step 1 loss 2", "end", "more")))
                .doesNotMatch(OutputForm.shown(shown));
    }

    /** Of all commands in the documents, those that would take long included. */
    @Test
    void everyCommandThatIsShownHasItsOptions() throws IOException {
        List<String> unknown = new ArrayList<>();
        Map<String, String> helps = new LinkedHashMap<>();
        int commands = 0;
        for (Path document : Documents.all()) {
            for (QuotedCommand quoted : QuotedCommand.of(document)) {
                for (List<String> words : quoted.remat()) {
                    commands++;
                    String help = helps.computeIfAbsent(
                            words.getFirst(),
                            name -> RematHere.run(folder, "help", name).out());
                    for (String word : words) {
                        if (OPTION.matcher(word).matches() && !help.matches("(?s).*[ ,]" + word + "[ ,=\\n].*")) {
                            unknown.add(quoted.where() + ": " + words.getFirst() + " " + word);
                        }
                    }
                }
            }
        }
        assertThat(unknown).isEmpty();
        assertThat(commands).isGreaterThan(20);
    }
}
