package dev.remat.ir.graph;

import dev.remat.ir.ValueId;
import dev.remat.ir.io.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * SHA-256 of what a graph computes: a hash tree over operations, types and roles from inputs to nodes. Names, ids,
 * origins and the order of nodes that do not depend on each other leave it as it is; a node more or less does not.
 * Inputs are told apart by their position.
 */
public final class CanonicalHash {
    private final Graph graph;
    private final MessageDigest digest = Sha256.digest();
    private final byte[][] hashes;

    private CanonicalHash(Graph graph) {
        this.graph = graph;
        this.hashes = new byte[graph.values().size()][];
    }

    /** The hash in hexadecimal. */
    public static String of(Graph graph) {
        return new CanonicalHash(graph).run();
    }

    private String run() {
        List<byte[]> parts = new ArrayList<>();
        for (int i = 0; i < graph.inputs().size(); i++) {
            GraphInput input = graph.inputs().get(i);
            add("input", i, input.kind(), input.initializer(), graph.type(input.value()));
            input.rows().ifPresent(rows -> add("rows", rows.from()));
            hashes[input.value().index()] = digest.digest();
            parts.add(hashes[input.value().index()]);
        }
        for (Node node : graph.nodes()) {
            byte[] hash = hash(node);
            for (int i = 0; i < node.results().size(); i++) {
                digest.update(hash);
                add(i);
                hashes[node.results().get(i).index()] = digest.digest();
            }
            parts.add(hash);
        }
        for (GraphOutput output : graph.outputs()) {
            add("output", output.name());
            digest.update(hashes[output.value().index()]);
            parts.add(digest.digest());
        }
        parts.sort(Arrays::compare);
        parts.forEach(digest::update);
        return Sha256.hex(digest);
    }

    private byte[] hash(Node node) {
        add(node.op().mnemonic(), node.op().attributes(), node.role());
        for (ValueId operand : node.operands()) {
            digest.update(hashes[operand.index()]);
        }
        for (ValueId result : node.results()) {
            add(graph.type(result));
        }
        return digest.digest();
    }

    /** Adds words, each closed by a byte that UTF-8 never has. */
    private void add(Object... words) {
        for (Object word : words) {
            digest.update(word.toString().getBytes(StandardCharsets.UTF_8));
            digest.update((byte) 0xff);
        }
    }
}
