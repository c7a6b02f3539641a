package dev.remat.tests.readme;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An output without its numbers: labels, columns and sentences, in their order. Lines of the same form that follow one
 * another are one, and where lines are broken does not count.
 */
final class OutputForm {
    private static final String REST = "…";

    private OutputForm() {}

    /** As one line. */
    static String of(List<String> lines) {
        return String.join(" ", forms(lines));
    }

    /** Matches forms of what a document shows so; {@code …} stands for whatever it leaves out. */
    static Pattern shown(List<String> lines) {
        List<String> forms = forms(lines);
        for (int i = forms.size() - 1; i > 1; i--) {
            if (forms.get(i - 1).equals(REST) && forms.get(i).equals(forms.get(i - 2))) {
                forms.remove(i);
            }
        }
        return Pattern.compile(Arrays.stream(String.join(" ", forms).split("(?<=^| )" + REST + "(?= |$)", -1))
                .map(part -> Pattern.quote(part.strip()))
                .collect(Collectors.joining(" ?.* ?")));
    }

    private static List<String> forms(List<String> lines) {
        List<String> forms = new ArrayList<>();
        for (String line : lines) {
            String form = form(line);
            if (!form.isEmpty() && (forms.isEmpty() || !forms.getLast().equals(form))) {
                forms.add(form);
            }
        }
        return forms;
    }

    private static String form(String line) {
        int axis = line.indexOf('│');
        String text = axis < 0 ? line : line.substring(0, axis + 1);
        return text.replaceAll("^ *[fbur]{20,}$", "phases")
                .replaceAll("-?\\d[\\d,]*(\\.\\d+)?(e[+-]?\\d+)?", "#")
                .replaceAll("# ?(bytes?|[KMGT]i?B)\\b", "# B")
                .replaceAll("# ?(ns|us|µs|ms|s)\\b", "# s")
                .replaceAll("(?<= )-(?= |$)", "# %")
                .replaceAll("# kernels? spills?|no spills", "# spills")
                .replaceAll("\\s+", " ")
                .strip();
    }
}
