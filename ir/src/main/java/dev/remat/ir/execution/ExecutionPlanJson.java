package dev.remat.ir.execution;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import dev.remat.ir.io.Sha256;
import dev.remat.ir.json.CorruptJsonException;
import dev.remat.ir.json.JsonCursor;
import dev.remat.ir.json.JsonText;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;

/**
 * {@code plan.json}: an execution plan as a file. Equal plans give equal bytes, and what is read back equals what was
 * written. Operations stand as mnemonic and attributes, as in the text form of a graph.
 */
public final class ExecutionPlanJson {
    public static final String FORMAT = "remat-execution-plan/1";

    /** Of a plan whose steps run in rounds, which says in which. */
    public static final String FORMAT_OF_SECTIONS = "remat-execution-plan/2";

    /** Of a plan that moves tensors out of its arena, which says where and when; its sections are told, too. */
    public static final String FORMAT_OF_PLACES = "remat-execution-plan/3";

    /** Of a plan whose ranks have shares of what outlives steps, which says of what; it may tell places, too. */
    public static final String FORMAT_OF_SHARES = "remat-execution-plan/4";

    private ExecutionPlanJson() {}

    /** Writes a plan; leaves {@code out} open. */
    public static void write(ExecutionPlan plan, OutputStream out) throws IOException {
        try (JsonGenerator json = JsonText.FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            new PlanWriter(json).write(plan);
        }
    }

    /**
     * Reads a plan; leaves {@code in} open. What the plan does is not judged: that is the arena checker's task.
     *
     * @throws CorruptPlanException if the text is no whole plan of this format version
     */
    public static ExecutionPlan read(InputStream in) throws IOException {
        try (JsonParser json = JsonText.FACTORY.createParser(in)) {
            return new PlanReader(new JsonCursor(json)).read();
        } catch (CorruptJsonException e) {
            throw new CorruptPlanException(e.getMessage());
        }
    }

    /** The oldest format that tells all of a plan. */
    static String format(ExecutionPlan plan) {
        if (plan.isShared()) {
            return FORMAT_OF_SHARES;
        }
        if (!plan.transfers().isEmpty()) {
            return FORMAT_OF_PLACES;
        }
        return plan.isInSections() ? FORMAT_OF_SECTIONS : FORMAT;
    }

    /** Whether a format tells what is moved below the arena. */
    static boolean tellsPlaces(String format) {
        return format.equals(FORMAT_OF_PLACES) || format.equals(FORMAT_OF_SHARES);
    }

    /** SHA-256 of what {@link #write} writes, in hexadecimal. */
    public static String hash(ExecutionPlan plan) {
        try (DigestOutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), Sha256.digest())) {
            write(plan, out);
            return Sha256.hex(out.getMessageDigest());
        } catch (IOException e) {
            throw new UncheckedIOException("writing to nowhere failed", e);
        }
    }
}
