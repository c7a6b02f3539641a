package dev.remat.ir.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What an update computes of every element: steps one after another, each an elementwise operation on operands, numbers
 * and results of earlier steps. Nothing is rounded before a result is stored; a bool is 0 or 1 until a {@code where}
 * reads it.
 *
 * @param results what is stored, the new parameter first
 */
public record UpdateProgram(List<Step> steps, List<Term> results) {
    /** What a step reads. */
    public sealed interface Term {
        /** An operand of the update, by its number: 0 is the parameter and 1 its gradient. */
        record Operand(int index) implements Term {
            @Override
            public String toString() {
                return index == 0 ? "p" : index == 1 ? "g" : "x" + index;
            }
        }

        record Real(double value) implements Term {
            @Override
            public String toString() {
                return Double.toString(value);
            }
        }

        /** The result of a step, by its number. */
        record Result(int step) implements Term {
            @Override
            public String toString() {
                return "t" + step;
            }
        }

        static Term parse(String text) {
            return switch (text.charAt(0)) {
                case 'p' -> new Operand(0);
                case 'g' -> new Operand(1);
                case 'x' -> new Operand(Integer.parseInt(text.substring(1)));
                case 't' -> new Result(Integer.parseInt(text.substring(1)));
                default -> new Real(Double.parseDouble(text));
            };
        }
    }

    /** One operation. */
    public record Step(Pointwise op, List<Term> in) {
        public Step {
            in = List.copyOf(in);
            int arity = switch (op) {
                case Unary _ -> 1;
                case Binary _, Compare _ -> 2;
                case Select _ -> 3;
            };
            Expect.argument(in.size() == arity, "%s takes %d terms, not %s", op.mnemonic(), arity, in);
        }

        static Step parse(String text) {
            String[] words = text.split(" ");
            Pointwise op = Stream.of(
                            Stream.of(new Select()),
                            Arrays.stream(Unary.Kind.values()).map(Unary::new),
                            Arrays.stream(Binary.Kind.values()).map(Binary::new),
                            Arrays.stream(Compare.Kind.values()).map(Compare::new))
                    .<Pointwise>flatMap(each -> each)
                    .filter(each -> each.mnemonic().equals(words[0]))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(words[0] + " is no step of an update"));
            return new Step(op, Arrays.stream(words).skip(1).map(Term::parse).toList());
        }

        @Override
        public String toString() {
            return Stream.concat(Stream.of(op.mnemonic()), in.stream().map(Term::toString))
                    .collect(Collectors.joining(" "));
        }
    }

    public UpdateProgram {
        steps = List.copyOf(steps);
        results = List.copyOf(results);
        List<Term> read = new ArrayList<>();
        for (int i = 0; i <= steps.size(); i++) {
            read.addAll(i < steps.size() ? steps.get(i).in() : results);
            int known = i;
            Expect.argument(
                    read.stream().allMatch(term -> !(term instanceof Term.Result(int step)) || step < known),
                    "a step of %s comes too late",
                    steps);
        }
    }

    static UpdateProgram parse(Attributes attributes) {
        return new UpdateProgram(
                attributes.items("steps").stream().map(Step::parse).toList(),
                attributes.items("results").stream().map(Term::parse).toList());
    }

    Attributes onto(Attributes attributes) {
        return attributes.with("steps", steps).with("results", results);
    }

    /** How often each step's result is read, by steps and as a result. */
    public int[] readers() {
        int[] readers = new int[steps.size()];
        Stream.concat(steps.stream().flatMap(step -> step.in().stream()), results.stream())
                .forEach(term -> {
                    if (term instanceof Term.Result(int step)) {
                        readers[step]++;
                    }
                });
        return readers;
    }
}
