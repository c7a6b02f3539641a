package dev.remat.cli.console;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The words of a command line, behind the program's name. */
public record TypedWords(List<String> words) {
    public TypedWords {
        words = List.copyOf(words);
    }

    /** @param valued options that go with their values */
    public TypedWords without(Set<String> valued) {
        List<String> left = new ArrayList<>();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            String option = word.contains("=") ? word.substring(0, word.indexOf('=')) : word;
            if (!valued.contains(option)) {
                left.add(word);
            } else if (word.equals(option)) {
                i++;
            }
        }
        return new TypedWords(left);
    }

    /** @param flag an option without a value */
    public TypedWords withoutFlag(String flag) {
        return new TypedWords(words.stream().filter(word -> !word.equals(flag)).toList());
    }

    /** With other words at the end. */
    public TypedWords and(String... more) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of(more));
        return new TypedWords(all);
    }

    /** With an option that has this value, whatever it had. */
    public TypedWords with(String option, String value) {
        return without(Set.of(option)).and(option, value);
    }

    /** As a shell takes them. */
    public String text() {
        return ShellWords.join(words);
    }
}
