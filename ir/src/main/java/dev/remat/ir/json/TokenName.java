package dev.remat.ir.json;

import com.fasterxml.jackson.core.JsonToken;

/** What stands at a place of JSON, in words. */
public final class TokenName {
    private TokenName() {}

    /** @param token null at the end of the text, as Jackson has it */
    public static String of(JsonToken token) {
        return switch (token) {
            case null -> "the end";
            case START_OBJECT -> "an object";
            case END_OBJECT -> "the end of an object";
            case START_ARRAY -> "a list";
            case END_ARRAY -> "the end of a list";
            case FIELD_NAME -> "a field";
            case VALUE_STRING -> "a string";
            case VALUE_NUMBER_INT -> "an integer";
            case VALUE_NUMBER_FLOAT -> "a number with a fraction";
            case VALUE_TRUE -> "true";
            case VALUE_FALSE -> "false";
            case VALUE_NULL -> "null";
            case VALUE_EMBEDDED_OBJECT, NOT_AVAILABLE -> "what is no JSON";
        };
    }
}
