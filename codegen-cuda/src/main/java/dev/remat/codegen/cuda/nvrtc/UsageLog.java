package dev.remat.codegen.cuda.nvrtc;

import dev.remat.ir.artifact.KernelUsage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads what the assembler says of each kernel when asked for it ({@code --ptxas-options=-v}):
 *
 * <pre>
 * ptxas info    : Compiling entry function 'k' for 'sm_80'
 * ptxas info    : Function properties for k
 * ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
 * ptxas info    : Used 24 registers, used 1 barriers, 512 bytes smem, 364 bytes cmem[0]
 * </pre>
 *
 * Properties of a function that a kernel calls, where one was not inlined, follow the kernel's and are added to them.
 */
final class UsageLog {
    private static final Pattern ENTRY = Pattern.compile("Compiling entry function '(\\w+)'");
    private static final Pattern FRAME =
            Pattern.compile("(\\d+) bytes stack frame, (\\d+) bytes spill stores, (\\d+) bytes spill loads");
    private static final Pattern REGISTERS = Pattern.compile("Used (\\d+) registers");
    private static final Pattern BARRIERS = Pattern.compile("used (\\d+) barriers");
    private static final Pattern SHARED = Pattern.compile("(\\d+) bytes smem");
    private static final Pattern CONSTANT = Pattern.compile("(\\d+) bytes cmem\\[");
    private static final KernelUsage NOTHING = new KernelUsage(0, 0, 0, 0, 0, 0, 0);

    private UsageLog() {}

    /** Usage by symbol, in the order of the log. */
    static Map<String, KernelUsage> read(String log) {
        Map<String, KernelUsage> usages = new LinkedHashMap<>();
        String[] entry = {""};
        log.lines().forEach(line -> {
            Matcher start = ENTRY.matcher(line);
            if (start.find()) {
                entry[0] = start.group(1);
                usages.put(entry[0], NOTHING);
            }
            usages.computeIfPresent(entry[0], (symbol, known) -> refine(known, line));
        });
        return usages;
    }

    private static KernelUsage refine(KernelUsage known, String line) {
        Matcher frame = FRAME.matcher(line);
        if (frame.find()) {
            return new KernelUsage(
                    known.registers(),
                    known.barriers(),
                    known.stackBytes() + Integer.parseInt(frame.group(1)),
                    known.spillStoreBytes() + Integer.parseInt(frame.group(2)),
                    known.spillLoadBytes() + Integer.parseInt(frame.group(3)),
                    known.sharedBytes(),
                    known.constantBytes());
        }
        if (REGISTERS.matcher(line).find()) {
            return new KernelUsage(
                    sum(REGISTERS, line),
                    sum(BARRIERS, line),
                    known.stackBytes(),
                    known.spillStoreBytes(),
                    known.spillLoadBytes(),
                    sum(SHARED, line),
                    sum(CONSTANT, line));
        }
        return known;
    }

    private static int sum(Pattern pattern, String line) {
        return pattern.matcher(line)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }
}
