package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is wrong with text that is no JSON, in words that know nothing of the parser and its settings. */
public final class SyntaxProblem {
    /** How a message of Jackson's begins, and what to say instead. */
    private record Wording(Pattern message, String instead) {
        static Wording of(String message, String instead) {
            return new Wording(Pattern.compile("(?:" + message + ").*", Pattern.DOTALL), instead);
        }
    }

    private static final List<Wording> SYNTAX = List.of(
            Wording.of("Duplicate field '(.*)'", "the field \"$1\" is there twice"),
            Wording.of("(?:Unrecognized|Non-standard) token '(.*?)'", "'$1' is not a value of JSON"),
            Wording.of("Unexpected close marker '(.)': expected '(.)'", "'$2' is expected, not '$1'"),
            Wording.of("Unexpected character.*in numeric value", "a number is not complete"),
            Wording.of(
                    "Unexpected character.*hex-digit|Unrecognized character escape",
                    "the backslash begins no escape of JSON"),
            Wording.of("Unexpected character \\('(.{1,2})' \\(code", "'$1' is not expected here"),
            Wording.of("Invalid numeric value: Leading zero", "a number begins with a zero too many"),
            Wording.of(
                    "Illegal .*CTRL-CHAR, code (?:9|10|13)\\)",
                    "a string must not hold a tab or the end of a line as such; write \\\\t or \\\\n"),
            Wording.of("Illegal .*CTRL-CHAR", "a control character is not expected here"),
            Wording.of("Numeric value .*out of range", "a number has more bits than it may have here"),
            Wording.of("Invalid UTF-", "the text is not UTF-8"));

    private static final String MOST = ".*? maximum allowed \\((\\d+)";
    private static final List<Wording> SIZE = List.of(
            Wording.of("Document nesting depth" + MOST, "lists and objects are nested more than $1 deep"),
            Wording.of("Number value length" + MOST, "a number has more than $1 digits"),
            Wording.of("(?:String value|Name) length" + MOST, "a string has more than $1 characters"));

    private SyntaxProblem() {}

    public static String of(JsonProcessingException e) {
        String message = String.valueOf(e.getOriginalMessage());
        return switch (e) {
            case JsonEOFException end -> "the file ends too early";
            case StreamConstraintsException size -> reword(message, SIZE, "there is more than this remat reads");
            default -> reword(message, SYNTAX, "this is not JSON");
        };
    }

    private static String reword(String message, List<Wording> wordings, String otherwise) {
        for (Wording wording : wordings) {
            Matcher matcher = wording.message().matcher(message);
            if (matcher.matches()) {
                return matcher.replaceFirst(wording.instead());
            }
        }
        return otherwise;
    }
}
