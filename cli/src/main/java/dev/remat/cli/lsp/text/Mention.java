package dev.remat.cli.lsp.text;

import java.util.Optional;

/**
 * A name where it stands in a text.
 *
 * @param start offset of its first character
 * @param end behind its last
 * @param scope in which it stands
 * @param loop the outermost loop of the scope around it, whose later bindings an earlier line sees too
 * @param of of an argument's name: the callee; of an attribute: the name before the dot
 * @param setting of a choice: the setting that it is for
 * @param piped whether a value comes in through {@code |>}
 */
public record Mention(
        String name,
        int start,
        int end,
        Role role,
        Scope scope,
        Optional<Loop> loop,
        Optional<Mention> of,
        String setting,
        boolean piped) {
    /** What a name does where it stands. */
    public enum Role {
        /** Gets a value, or is declared. */
        BINDING,
        READ,
        /** {@code bias} in {@code linear(x, 8, bias = false)}. */
        ARGUMENT,
        /** {@code weight} in {@code wte.weight}. */
        ATTRIBUTE,
        /** {@code f32}, {@code int}. */
        TYPE,
        /** {@code optimizer}. */
        SETTING,
        /** {@code adamw} in {@code optimizer adamw}. */
        CHOICE
    }

    /** A loop; it ends where it is read to. */
    static final class Loop {
        final int start;
        int end = Integer.MAX_VALUE;

        Loop(int start) {
            this.start = start;
        }

        boolean contains(int offset) {
            return start <= offset && offset <= end;
        }
    }

    public boolean is(Role other) {
        return role == other;
    }

    /** Whether a cursor there is at this name. */
    public boolean touches(int offset) {
        return start <= offset && offset <= end;
    }
}
