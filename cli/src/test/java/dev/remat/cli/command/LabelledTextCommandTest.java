package dev.remat.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that learns from words what a text is like, from tables as people have them. */
class LabelledTextCommandTest {
    private static final String MODEL = """
        remat 1

        model Reviews {
          symbol B, T
          input input_ids: i32[B, T]
          input attention_mask: f32[B, T]
          input labels: i32[B]

          x = embedding(input_ids, 10, 4) as table
          x = sum(x * unsqueeze(attention_mask, -1), axis = 1) / sum(attention_mask, axis = 1, keepdim = true)
          loss = cross_entropy(linear(x, 2) as out, labels)
        }

        train {
          minimize loss
          optimizer adamw(lr = 5e-2)
          seed 3
        }
        """;

    @TempDir
    Path folder;

    private String model;
    private String tokenizer;
    private String run;

    @BeforeEach
    void write() throws IOException {
        model = TinyModels.write(folder, "reviews.model", MODEL);
        run = folder.resolve("run").toString();
        tokenizer = file(
                "tokenizer.json",
                "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"?\", \"vocab\": {\"[PAD]\": 0, \"?\": 1,"
                    + " \"good\": 2, \"bad\": 3, \"a\": 4, \"film\": 5}}, \"normalizer\": {\"type\": \"Lowercase\"},"
                    + " \"pre_tokenizer\": {\"type\": \"BertPreTokenizer\"}}");
    }

    private String file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content).toString();
    }

    private CommandRun remat(String command, String... more) {
        List<String> words = new ArrayList<>(List.of(command, model));
        words.addAll(Arrays.asList(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    private String train(String table) {
        CommandRun trained = remat(
                "train", "--set", "B=8,T=6", "--data", table, "--tokenizer", tokenizer, "--steps", "60", "--save", run);
        assertThat(trained.exitCode()).as(trained.err()).isZero();
        return trained.err();
    }

    private double loss(String... more) {
        List<String> words = new ArrayList<>(List.of("--resume", run, "--tokenizer", tokenizer, "--json", "--all"));
        words.addAll(Arrays.asList(more));
        CommandRun evaluated = remat("eval", words.toArray(String[]::new));
        assertThat(evaluated.exitCode()).as(evaluated.err()).isZero();
        Matcher loss = Pattern.compile("\"loss\": ([0-9.eE-]+)").matcher(evaluated.out());
        assertThat(loss.find()).as(evaluated.out()).isTrue();
        return Double.parseDouble(loss.group(1));
    }

    @Test
    void learnsFromATableAndIsEvaluatedOnAnother() throws IOException {
        String told = train(file(
                "train.csv",
                "text,label\n"
                        + "\"A good, good film\",positive\na bad film,negative\n\"Bad\nfilm\",negative\n".repeat(20)));
        assertThat(told).contains("labels are numbered 0 negative, 1 positive");
        String right = file(
                "right.jsonl",
                "{\"text\": \"Good!\", \"label\": \"positive\"}\n"
                        + "{\"text\": \"a bad bad film\", \"label\": \"negative\"}\n");
        assertThat(loss("--data", right)).isLessThan(0.2);
        // The same texts with the labels numbered the other way round.
        assertThat(loss("--data", right, "--labels", "positive,negative")).isGreaterThan(1);
        String alone = file("alone.jsonl", "{\"review\": \"good\", \"id\": 7, \"stars\": 1}\n");
        assertThat(loss("--data", alone, "--text-column", "review", "--label-column", "stars"))
                .isLessThan(0.2);
        assertThat(remat(
                                "eval",
                                "--resume",
                                run,
                                "--all",
                                "--tokenizer",
                                tokenizer,
                                "--data",
                                alone,
                                "--text-column",
                                "review",
                                "--label-column",
                                "stars")
                        .err())
                .contains("no input of the model reads id of the data")
                .doesNotContain("labels are numbered");
    }

    @Test
    void tablesThatDoNotFitAreRefusedBeforeAStep() throws IOException {
        String[][] refused = {
            {"text,label\na,1\nb,2\n", "8", "label", "2"},
            {"text,label\na,1\nb\n", "8", "line 3: 1 fields, the header has 2"},
            {"text,stars\na,1\n", "8", "has no column label of numbers for the input labels"},
        };
        for (String[] each : refused) {
            CommandRun failed = remat(
                    "train",
                    "--set",
                    "B=1,T=6",
                    "--data",
                    file("t.csv", each[0]),
                    "--tokenizer",
                    tokenizer,
                    "--steps",
                    "4");
            assertThat(failed.exitCode()).as(failed.err()).isEqualTo(Integer.parseInt(each[1]));
            assertThat(failed.err()).contains(Arrays.copyOfRange(each, 2, each.length));
        }
        String table = file("t.csv", "text,label\na,1\n");
        CommandRun three =
                remat("train", "--set", "B=1,T=6", "--data", table, "--text-column", "a,b,c", "--steps", "1");
        assertThat(three.exitCode()).isEqualTo(2);
        assertThat(three.err()).contains("--text-column names one column or two, not 3");
        CommandRun twice = remat("train", "--set", "B=1,T=6", "--data", table, "--labels", "a,b,a", "--steps", "1");
        assertThat(twice.err()).contains("--labels names a label twice");
        CommandRun text = remat("train", "--set", "B=1,T=6", "--text", table, "--label-column", "x", "--steps", "1");
        assertThat(text.exitCode()).isEqualTo(2);
        assertThat(text.err()).contains("--label-column", ".jsonl");
    }

    /** Numbers alone stay what they were: nothing says that there is text. */
    @Test
    void aTableWithoutTextNeedsNoTokenizer() throws IOException {
        String numbers = file("numbers.csv", "x.0,x.1,x.2\n" + "1,2,3\n".repeat(20));
        CommandRun trained =
                CommandRun.of("train", TinyModels.measuring(folder), "--set", "B=2", "--data", numbers, "--steps", "2");
        assertThat(trained.exitCode()).as(trained.err()).isZero();
    }
}
