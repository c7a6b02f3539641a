package dev.remat.tests.ptx;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads PTX as NVRTC writes it. */
public final class PtxParser {
    private static final Pattern ENTRY = Pattern.compile("\\.visible \\.entry (\\w+)\\(");
    private static final Pattern PARAMETER = Pattern.compile("\\.param \\.(\\w+) (\\w+),?");
    private static final Pattern REGISTERS = Pattern.compile("\\.reg \\.(\\w+)\\s+%(\\w+)<(\\d+)>;");
    private static final Pattern SHARED =
            Pattern.compile("(\\.extern )?\\.shared \\.align (\\d+) \\.b8 (\\w+)\\[(\\d*)\\];");
    private static final Pattern INSTRUCTION =
            Pattern.compile("(?:@(!?)%(\\w+) +)?([\\w.:]+)(?:\\s+(.*?))?;", Pattern.DOTALL);
    private static final Pattern REGISTER = Pattern.compile("%([a-z]+)(\\d+)");
    /** Of dynamic arrays, and so of where static ones end. */
    private static final int ALIGNMENT = 128;

    private final List<String> lines;
    private final SequencedMap<String, int[]> moduleArrays = new LinkedHashMap<>();
    private int at;

    private PtxParser(String text) {
        lines = text.lines()
                .map(line -> line.contains("//") ? line.substring(0, line.indexOf("//")) : line)
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    /** Every kernel of a module by its name. */
    public static SequencedMap<String, PtxKernel> parse(String text) {
        PtxParser parser = new PtxParser(text);
        SequencedMap<String, PtxKernel> kernels = new LinkedHashMap<>();
        while (parser.at < parser.lines.size()) {
            String line = parser.lines.get(parser.at++);
            Matcher entry = ENTRY.matcher(line);
            if (entry.lookingAt()) {
                PtxKernel kernel = parser.kernel(entry.group(1));
                kernels.put(kernel.name(), kernel);
            }
            parser.readArray(line, parser.moduleArrays);
        }
        return kernels;
    }

    /** An array's bytes and alignment. */
    private void readArray(String line, Map<String, int[]> arrays) {
        Matcher shared = SHARED.matcher(line);
        if (shared.matches()) {
            int bytes = shared.group(4).isEmpty() ? -1 : Integer.parseInt(shared.group(4));
            arrays.put(shared.group(3), new int[] {bytes, Integer.parseInt(shared.group(2))});
        }
    }

    private PtxKernel kernel(String name) {
        SequencedMap<String, PtxType> parameters = new LinkedHashMap<>();
        for (; !lines.get(at).equals(")"); at++) {
            Matcher parameter = PARAMETER.matcher(lines.get(at));
            if (!parameter.matches()) {
                throw new PtxException("no parameter: " + lines.get(at));
            }
            parameters.put(parameter.group(2), PtxType.of(parameter.group(1)));
        }
        while (!lines.get(at++).equals("{")) {
            // Directives of performance.
        }
        return new Body(name, parameters).read();
    }

    /** The braces of one kernel. */
    private final class Body {
        private final String name;
        private final SequencedMap<String, PtxType> parameters;
        private final SequencedMap<String, int[]> arrays = new LinkedHashMap<>(moduleArrays);
        private final Map<String, Integer> firstRegister = new LinkedHashMap<>();
        private final Map<String, Integer> widths = new LinkedHashMap<>();
        private final Map<String, Integer> labels = new LinkedHashMap<>();
        private final List<String> texts = new ArrayList<>();
        private int registers;

        Body(String name, SequencedMap<String, PtxType> parameters) {
            this.name = name;
            this.parameters = parameters;
        }

        PtxKernel read() {
            StringBuilder statement = new StringBuilder();
            int depth = 0;
            for (; depth > 0 || !lines.get(at).equals("}"); at++) {
                String line = lines.get(at);
                Matcher declared = REGISTERS.matcher(line);
                if (line.equals("{") || line.equals("}")) {
                    depth += line.equals("{") ? 1 : -1;
                } else if (declared.matches()) {
                    firstRegister.put(declared.group(2), registers);
                    widths.put(declared.group(2), PtxType.of(declared.group(1)).bits());
                    registers += Integer.parseInt(declared.group(3));
                } else if (line.startsWith(".shared")) {
                    readArray(line, arrays);
                } else if (line.startsWith(".local")) {
                    throw new PtxException(name + " has local memory: " + line);
                } else if (line.endsWith(":")) {
                    labels.put(line.substring(0, line.length() - 1), texts.size());
                } else if (!line.startsWith(".")) {
                    statement.append(line);
                    if (line.endsWith(";")) {
                        texts.add(statement.toString());
                        statement.setLength(0);
                    }
                }
            }
            List<PtxInstruction> instructions =
                    texts.stream().map(this::instruction).toList();
            SequencedMap<String, Integer> shared = new LinkedHashMap<>();
            int bytes = 0;
            for (Map.Entry<String, int[]> array : arrays.entrySet()) {
                if (array.getValue()[0] >= 0 && isNamed(array.getKey(), instructions)) {
                    bytes = up(bytes, array.getValue()[1]);
                    shared.put(array.getKey(), bytes);
                    bytes += array.getValue()[0];
                }
            }
            int staticBytes = up(bytes, ALIGNMENT);
            arrays.forEach((array, size) -> shared.putIfAbsent(array, staticBytes));
            return new PtxKernel(name, parameters, registers, shared, staticBytes, instructions);
        }

        private PtxInstruction instruction(String text) {
            Matcher matched = INSTRUCTION.matcher(text);
            if (!matched.matches()) {
                throw new PtxException("no instruction: " + text);
            }
            String opcode = matched.group(3);
            String rest = matched.group(4) == null ? "" : matched.group(4);
            int guard = matched.group(2) == null
                    ? -1
                    : register("%" + matched.group(2)).index();
            boolean negated = "!".equals(matched.group(1));
            if (opcode.equals("bra") || opcode.equals("bra.uni")) {
                if (!labels.containsKey(rest)) {
                    throw new PtxException("no label: " + text);
                }
                return new PtxInstruction(guard, negated, "bra", List.of(), labels.get(rest), text);
            }
            List<PtxOperand> operands = split(rest).stream().map(this::operand).toList();
            return new PtxInstruction(guard, negated, opcode, operands, -1, text);
        }

        private PtxOperand.Register register(String text) {
            Matcher register = REGISTER.matcher(text);
            if (!register.matches() || !firstRegister.containsKey(register.group(1))) {
                throw new PtxException("no register: " + text);
            }
            String kind = register.group(1);
            return new PtxOperand.Register(
                    firstRegister.get(kind) + Integer.parseInt(register.group(2)), widths.get(kind));
        }

        private PtxOperand operand(String text) {
            if (text.startsWith("{")) {
                return new PtxOperand.Group(split(text.substring(1, text.length() - 1)).stream()
                        .map(this::operand)
                        .toList());
            }
            if (text.contains("|")) {
                return new PtxOperand.Group(List.of(
                        operand(text.substring(0, text.indexOf('|'))), operand(text.substring(text.indexOf('|') + 1))));
            }
            if (text.startsWith("[")) {
                String inside = text.substring(1, text.length() - 1);
                int plus = inside.indexOf('+');
                return plus < 0
                        ? new PtxOperand.Address(operand(inside), 0)
                        : new PtxOperand.Address(
                                operand(inside.substring(0, plus)), Long.parseLong(inside.substring(plus + 1)));
            }
            if (REGISTER.matcher(text).matches()) {
                return register(text);
            }
            if (text.startsWith("%")) {
                return new PtxOperand.Special(text.substring(1));
            }
            if (text.startsWith("0f") || text.startsWith("0d")) {
                return new PtxOperand.Immediate(Long.parseUnsignedLong(text.substring(2), 16));
            }
            if (text.startsWith("-") || Character.isDigit(text.charAt(0))) {
                return new PtxOperand.Immediate(
                        text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text));
            }
            return new PtxOperand.Symbol(text);
        }
    }

    private static boolean isNamed(String array, List<PtxInstruction> instructions) {
        return instructions.stream().anyMatch(instruction -> instruction.text().contains(array));
    }

    private static int up(int value, int alignment) {
        return (value + alignment - 1) / alignment * alignment;
    }

    /** Parts between commas that no braces hold. */
    private static List<String> split(String text) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i <= text.length(); i++) {
            char c = i < text.length() ? text.charAt(i) : ',';
            depth += c == '{' ? 1 : c == '}' ? -1 : 0;
            if (c == ',' && depth == 0) {
                if (i > from) {
                    parts.add(text.substring(from, i).strip());
                }
                from = i + 1;
            }
        }
        return parts;
    }
}
