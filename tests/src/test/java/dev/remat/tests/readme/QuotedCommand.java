package dev.remat.tests.readme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A line that a document shows behind a prompt.
 *
 * @param where the document and the line
 * @param text as a shell would read it, on one line
 * @param output what is shown below
 */
record QuotedCommand(String where, String text, List<String> output) {
    private static final Pattern BLOCK = Pattern.compile("```console\n(.*?)```", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\\S+");
    private static final String PROMPT = "$ ";

    /** Every one of a document, in order. */
    static List<QuotedCommand> of(Path document) throws IOException {
        String text = Files.readString(document);
        List<QuotedCommand> commands = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            long before = text.substring(0, blocks.start(1)).lines().count();
            List<String> lines = blocks.group(1).lines().toList();
            for (int i = 0; i < lines.size(); ) {
                String where = Documents.name(document) + ":" + (before + 1 + i);
                StringBuilder command = new StringBuilder(lines.get(i++));
                while (command.charAt(command.length() - 1) == '\\') {
                    command.setLength(command.length() - 1);
                    command.append(lines.get(i++).strip());
                }
                List<String> output = new ArrayList<>();
                while (i < lines.size() && !lines.get(i).startsWith(PROMPT)) {
                    output.add(lines.get(i++));
                }
                if (command.indexOf(PROMPT) == 0) {
                    commands.add(new QuotedCommand(where, command.substring(PROMPT.length()), output));
                }
            }
        }
        return commands;
    }

    /** The words after {@code ./remat}, of each command of the line that is one. */
    List<List<String>> remat() {
        List<List<String>> all = new ArrayList<>();
        for (String each : text.split("&&")) {
            List<String> words =
                    WORD.matcher(each).results().map(QuotedCommand::unquoted).toList();
            if (words.getFirst().equals("./remat") && !words.get(1).equals("test")) {
                all.add(words.subList(1, words.size()));
            }
        }
        return all;
    }

    private static String unquoted(MatchResult word) {
        return word.group(1) == null ? word.group() : word.group(1);
    }
}
