package dev.remat.compiler.split;

import dev.remat.compiler.ast.BinaryOperator;
import dev.remat.ir.diagnostic.Location;
import dev.remat.ir.diagnostic.Source;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How calls stand in the text of a model: {@code norm}, or {@code '/'} of an operator. */
final class WrittenCalls {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*");

    private final List<Source> files;

    WrittenCalls(List<Source> files) {
        this.files = List.copyOf(files);
    }

    /** The call at a node's location; empty where no text is known to stand there. */
    Optional<String> at(Location location) {
        return files.stream()
                .filter(source -> source.file().equals(location.file()))
                .findFirst()
                .map(source -> source.line(location.line()))
                .filter(line -> location.column() <= line.length())
                .flatMap(line -> first(line.substring(location.column() - 1)));
    }

    private static Optional<String> first(String text) {
        Matcher name = NAME.matcher(text);
        if (name.lookingAt()) {
            return Optional.of(name.group());
        }
        return Arrays.stream(BinaryOperator.values())
                .map(BinaryOperator::sign)
                .filter(text::startsWith)
                .max(Comparator.comparingInt(String::length))
                .map(sign -> "'" + sign + "'");
    }
}
