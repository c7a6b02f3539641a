package dev.remat.tests.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * Files and the command lines that are run on them, one after the other for as long as they succeed.
 *
 * @param commands words of each; {@code @/} stands for the folder of the files
 * @param files content by name, which may lead into folders
 */
record FuzzInput(List<List<String>> commands, SequencedMap<String, byte[]> files) {
    static final String FOLDER = "@/";
    private static final byte[] LINE_END = {'\n'};

    FuzzInput {
        commands = List.copyOf(commands);
        files = new LinkedHashMap<>(files);
    }

    /** One command line and the files that {@link #file} adds. */
    static FuzzInput of(String... words) {
        return new FuzzInput(List.of(List.of(words)), new LinkedHashMap<>());
    }

    FuzzInput file(String name, byte[] content) {
        SequencedMap<String, byte[]> more = new LinkedHashMap<>(files);
        more.put(name, content);
        return new FuzzInput(commands, more);
    }

    FuzzInput files(SequencedMap<String, byte[]> others) {
        SequencedMap<String, byte[]> more = new LinkedHashMap<>(files);
        more.putAll(others);
        return new FuzzInput(commands, more);
    }

    FuzzInput without(String name) {
        SequencedMap<String, byte[]> fewer = new LinkedHashMap<>(files);
        fewer.remove(name);
        return new FuzzInput(commands, fewer);
    }

    /** With another command after the others. */
    FuzzInput then(String... words) {
        List<List<String>> more = new ArrayList<>(commands);
        more.add(List.of(words));
        return new FuzzInput(more, files);
    }

    /** As a shell script that does the same. */
    String script() {
        StringBuilder out = new StringBuilder("cd \"$(mktemp -d)\"\n");
        files.forEach((name, content) -> {
            if (name.contains("/")) {
                out.append("mkdir -p '").append(name, 0, name.lastIndexOf('/')).append("'\n");
            }
            out.append("base64 -d > '").append(name).append("' <<'EOF'\n");
            out.append(Base64.getMimeEncoder(76, LINE_END).encodeToString(content))
                    .append("\nEOF\n");
        });
        for (List<String> command : commands) {
            out.append("remat");
            command.forEach(word -> out.append(" '")
                    .append(word.replace(FOLDER, "./").replace("'", "'\\''"))
                    .append('\''));
            out.append('\n');
        }
        files.forEach((name, content) -> {
            if (content.length < 4000 && isText(content)) {
                out.append("# ").append(name).append(":\n");
                new String(content, StandardCharsets.UTF_8)
                        .lines()
                        .forEach(line -> out.append("#   ").append(line).append('\n'));
            }
        });
        return out.toString();
    }

    static boolean isText(byte[] content) {
        for (byte b : content) {
            if (b < ' ' && b != '\n' && b != '\t') {
                return false;
            }
        }
        return true;
    }
}
